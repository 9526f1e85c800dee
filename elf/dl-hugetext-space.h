/* Address space: functions reserve it, map at block boundaries and move
   mappings over text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SPACE_H
#define _DL_HUGETEXT_SPACE_H 1

#include "dl-hugetext-placement.h"

/* Reserve address space for OBJECT at PLACEMENT, below run-time address NEAR
   if that is not 0 and there is room.  Returns the lowest address of the
   reservation, slack included, or 0.  */
extern uintptr_t
_dl_hugetext_reserve_space (const struct hugetext_object *object,
                            const struct hugetext_placement *placement,
                            uintptr_t page, uintptr_t near) attribute_hidden;

/* Map LENGTH bytes at a block boundary.  Returns the address or an error. */
extern long int _dl_hugetext_map_aligned (const struct hugetext_geometry *geo,
                                          size_t length, int prot, int flags,
                                          int fd,
                                          uint64_t offset) attribute_hidden;

/* Map the holes of OBJECT in [START, END) without access.  False if another
   mapping is in a hole; then nothing is mapped.  */
extern bool _dl_hugetext_claim_holes (const struct hugetext_object *object,
                                      uintptr_t start,
                                      uintptr_t end) attribute_hidden;

/* Unmap the holes of OBJECT in [START, END) that _dl_hugetext_claim_holes has
   mapped.  */
extern void _dl_hugetext_release_holes (const struct hugetext_object *object,
                                        uintptr_t start,
                                        uintptr_t end) attribute_hidden;

/* The result of a move.  */
enum hugetext_move
{
  HUGETEXT_MOVED,
  HUGETEXT_NOT_MOVED, /* The old text is in place.  */
  HUGETEXT_TEXT_LOST  /* The kernel has removed the old text, and it could not
                         be mapped again.  */
};

/* The file from which lost text can be mapped again.  */
struct hugetext_remedy
{
  int fd; /* The object's file, or an image,  */
  bool image;
  uint64_t offset; /* and the offset of the text in it.  */
};

/* Move LENGTH bytes of mapping from FROM over the text of OBJECT at TO.  If
   the kernel loses the text, REMEDY says where it is mapped from again.  PAGE
   is the size of a small page.  */
extern enum hugetext_move
_dl_hugetext_move (const struct hugetext_object *object, uintptr_t page,
                   const struct hugetext_remedy *remedy, uintptr_t from,
                   size_t length, uintptr_t to) attribute_hidden;

/* The protection that BLOCK of OBJECT needs.  */
extern int _dl_hugetext_text_prot (const struct hugetext_object *object,
                                   const struct hugetext_geometry *geo,
                                   uintptr_t block) attribute_hidden;

#endif /* dl-hugetext-space.h */
