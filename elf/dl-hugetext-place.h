/* The place of an object: where it is to lie, and how it gets there.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PLACE_H
#define _DL_HUGETEXT_PLACE_H 1

#include "dl-hugetext-placement.h"
#include "dl-hugetext-state.h"

/* Address space (dl-hugetext-space.c).  */

/* Reserve address space for OBJECT at PLACEMENT, below run-time address NEAR
   if that is not 0 and there is room.  Set RECORD's range, slack included, and
   *BIAS, the load bias there.  False if there is no space.  */
extern bool _dl_hugetext_reserve_space (
    const struct hugetext_object *object,
    const struct hugetext_placement *placement, uintptr_t page, uintptr_t near,
    struct hugetext_record *record, ElfW (Addr) * bias) attribute_hidden;

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

/* Places (dl-hugetext-choose.c, -program.c, -move.c).  */

/* Find the PLACEMENT that puts most text of STATE's object into blocks.  False
   if no placement gives it a block.  */
extern bool
_dl_hugetext_place (struct hugetext_state *state,
                    struct hugetext_placement *placement) attribute_hidden;

/* Make a record of STATE's object, which is mapped from FD, for L; NULL if
   there is no memory for one.  FD is -1 if the file cannot be opened, L is
   NULL if the object is the program and has no link map yet.  */
extern struct hugetext_record *
_dl_hugetext_begin_object (struct hugetext_state *state, struct link_map *l,
                           int fd) attribute_hidden;

/* Choose the place of STATE's object, whose file is open on FD, and whose
   identity and heat are in RECORD: change PLACEMENT, made by
   _dl_hugetext_place.  The decision is hugetext_choose's, with the facts of
   this machine.  If the object can use huge pages of its file, have the kernel
   cache as much of the file in huge pages as the object can use; else note in
   RECORD that it cannot.  False if the object stays where it would be
   anyway.  */
extern bool
_dl_hugetext_choose (struct hugetext_state *state, int fd,
                     struct hugetext_record *record, bool fixed,
                     struct hugetext_placement *placement) attribute_hidden;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Move the program OBJECT, open on FD, to PLACEMENT, and tell the kernel and
   AUXV.  Return the difference of addresses, 0 if the program stays.  Set
   RECORD's range to what is reserved for the program.  */
extern ElfW (Addr) _dl_hugetext_move_program (
    struct hugetext_object *object, uintptr_t page,
    const struct hugetext_placement *placement, int fd, ElfW (auxv_t) * auxv,
    struct hugetext_record *record) attribute_hidden;

/* Map the segments of OBJECT, open on FD, with load bias BIAS over the
   reservation there, as the kernel would map them.  */
extern bool _dl_hugetext_map_segments (const struct hugetext_object *object,
                                       uintptr_t page, int fd,
                                       ElfW (Addr) bias) attribute_hidden;

#endif

#endif /* dl-hugetext-place.h */
