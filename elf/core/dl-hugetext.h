/* The functions of ld-hugetext that glibc's loader calls.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc calls the functions at the start, when an object is mapped or
   unmapped, and when all objects are mapped and none is relocated.  This
   header does not depend on the glibc version.  */

#ifndef _DL_HUGETEXT_H
#define _DL_HUGETEXT_H 1

#include "dl-hugetext-modules.h"

/* Move the program that the kernel has mapped with its program headers at
   PHDR, if its text can be huge at another address.  glibc calls this function
   before anything else is mapped, if huge text is on.  Correct AUXV and return
   the distance, or 0 if the program does not move.  */
extern ElfW (Addr)
    _dl_hugetext_program (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                          ElfW (auxv_t) * auxv) attribute_hidden;

/* glibc's facts about an object that glibc is about to map.  */
struct hugetext_mapping
{
  int fd;
  bool fixed; /* The object should be at START if nothing else is mapped
                 there.  */
  const ElfW (Ehdr) * header;
  const ElfW (Phdr) * phdr; /* All program headers, or NULL if unknown.  */
  ElfW (Addr) start;        /* The link-time address of the first page.  */
  size_t length;            /* The number of bytes up to the end of the last
                               segment.  */
  ElfW (Addr) align;        /* The alignment that the object requires.  */
};

/* Reserve address space for L in which its text can be huge, if L is
   position-independent.  If the function returns true, l_addr is set, and the
   caller maps the segments with MAP_FIXED.  If it returns false, L is
   unchanged, or l_addr has a hint that the caller passes to the kernel.  glibc
   calls this function before it maps the segments of L.  */
extern bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping) attribute_hidden;

/* Complete L, or release its reservation.  glibc calls this function after it
   has mapped the segments of L.  RESERVED is the result of
   _dl_hugetext_reserve, ERROR the stock loader's error message or NULL.  */
extern void _dl_hugetext_mapped (struct link_map *l, bool reserved,
                                 const char *error) attribute_hidden;

/* If the loader has reserved the space around L, unmap the segments of L and
   that space, and return true.  glibc calls this function before it unmaps the
   segments of L.  */
extern bool _dl_hugetext_unmap (struct link_map *l) attribute_hidden;

/* Put the text of ROOT and of all its dependencies on huge pages.  glibc calls
   this function when these objects are mapped, but not yet relocated.  Signal
   an error if the kernel has lost some of the text.  */
extern void _dl_hugetext_populate (struct link_map *root)
    attribute_hidden attribute_every_start;

#endif /* dl-hugetext.h */
