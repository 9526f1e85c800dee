/* The functions of ld-hugetext that glibc's loader calls.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   They are called at the start, when an object is mapped or unmapped, and when
   all objects are mapped and none is relocated.  This header does not depend
   on the glibc version.  */

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
  bool fixed; /* The object should be at START if nothing is mapped there.  */
  const ElfW (Ehdr) * header;
  const ElfW (Phdr) * phdr; /* All headers, or NULL if unknown.  */
  ElfW (Addr) start;        /* The link-time address of the first page.  */
  size_t length;            /* The bytes up to the end of the last segment.  */
  ElfW (Addr) align;        /* The alignment that the object asks for.  */
};

/* Reserve address space for L where its text can lie on huge pages, if L is
   position-independent.  If true, l_addr is set, and the caller maps the
   segments with MAP_FIXED.  If false, L is unchanged or has an l_addr for
   which the caller asks the kernel.  Called before the segments of L are
   mapped.  */
extern bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping) attribute_hidden;

/* Complete L, or release its reservation.  Called after the segments of L were
   mapped.  RESERVED is the result of _dl_hugetext_reserve, ERROR the stock
   loader's error message or NULL.  */
extern void _dl_hugetext_mapped (struct link_map *l, bool reserved,
                                 const char *error) attribute_hidden;

/* If the loader has reserved the space around L, unmap the segments of L and
   that space, and return true.  Called before the segments of L are
   unmapped.  */
extern bool _dl_hugetext_unmap (struct link_map *l) attribute_hidden;

/* Put the text of ROOT and of all its dependencies on huge pages.  Called when
   they are mapped, but not yet relocated.  Signals an error if the kernel has
   lost some of the text.  */
extern void _dl_hugetext_populate (struct link_map *root)
    attribute_hidden attribute_every_start;

#endif /* dl-hugetext.h */
