/* The functions of ld-hugetext that the hook headers call.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The hooks are glibc's own: dl-map-segments.h, dl-unmap-segments.h,
   dl-prop.h and dl-sysdep.c, each found in sysdeps before the stock file of
   that name.  Nothing here depends on the glibc version.  */

#ifndef _DL_HUGETEXT_H
#define _DL_HUGETEXT_H 1

#include "dl-hugetext-modules.h"

/* Move the program that the kernel has mapped with its program headers at
   PHDR, if its text can be huge at another address.  Called before anything
   else is mapped, if huge text is on.  Correct AUXV and return the distance;
   return 0 if the program does not move.  */
extern ElfW (Addr)
    _dl_hugetext_program (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                          ElfW (auxv_t) * auxv) attribute_hidden;

/* glibc's facts about an object that it is about to map.  */
struct hugetext_mapping
{
  int fd;
  bool fixed; /* It is to come to START if nothing is there.  */
  const ElfW (Ehdr) * header;
  const ElfW (Phdr) * phdr; /* All headers, NULL if they are not at hand.  */
  ElfW (Addr) start;        /* Link-time address of the first page.  */
  size_t length;            /* To the end of the last segment.  */
  ElfW (Addr) align;        /* Alignment asked for.  */
};

/* Reserve address space for L where its text can lie on huge pages, if L is
   position-independent: set l_addr and return true, and the caller then maps
   the segments with MAP_FIXED.  Otherwise return false, with L unchanged or
   with an l_addr for which the caller asks the kernel.  Called before the
   segments of L are mapped.  */
extern bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping) attribute_hidden;

/* Complete L, or give the reservation back.  Called after the segments of L
   were mapped, with the value that _dl_hugetext_reserve returned and the stock
   loader's error message or NULL.  */
extern void _dl_hugetext_mapped (struct link_map *l, bool reserved,
                                 const char *error) attribute_hidden;

/* Unmap the segments of L and the space around them, if the loader has
   reserved that space; then return true.  Called before the segments of L are
   unmapped.  */
extern bool _dl_hugetext_unmap (struct link_map *l) attribute_hidden;

/* Put the text of ROOT and of all that it needs on huge pages.  Called when
   they are mapped, but not yet relocated.  Signals an error if the kernel has
   lost some of the text.  */
extern void _dl_hugetext_populate (struct link_map *root)
    attribute_hidden attribute_every_start;

#endif /* dl-hugetext.h */
