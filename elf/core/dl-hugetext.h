/* The functions of ld-hugetext that glibc's loader calls on Linux.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc calls a function of this header at the beginning of a program start,
   when it maps or unmaps an object, and when all objects are mapped but none
   is relocated.  This header does not depend on the version of glibc.  */

#ifndef _DL_HUGETEXT_H
#define _DL_HUGETEXT_H 1

#include "dl-hugetext-modules.h"

/* If the text of the program could be huge at another address, map the
   program a second time at that address.  PHDR points to the program headers
   where the kernel has mapped them.  If the program moves, correct AUXV and
   return the distance in bytes; otherwise return 0.  glibc calls this
   function before it maps anything else, if huge text is on.  */
extern ElfW (Addr)
    _dl_hugetext_program (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                          ElfW (auxv_t) * auxv) attribute_hidden;

/* The facts that glibc knows about an object that it is about to map.  */
struct hugetext_mapping
{
  int fd;
  bool fixed; /* The object should be mapped at START, unless another mapping
                 is there.  */
  const ElfW (Ehdr) * header;
  const ElfW (Phdr) * phdr; /* All program headers, or NULL if unknown.  */
  ElfW (Addr) start;        /* The link-time address of the object's first
                               page.  */
  size_t length;            /* The number of bytes from START to the end of
                               the last segment.  */
  ElfW (Addr) align;        /* The alignment that the object requires, in
                               bytes.  */
};

/* Examine the library of MAPPING: find out where its text can be huge.  When
   glibc calls this function, the members START, LENGTH, ALIGN and FIXED of
   MAPPING are not known yet.  In a start, glibc calls this function before it
   maps the library.  */
extern void
_dl_hugetext_examine (const struct hugetext_mapping *mapping) attribute_hidden;

/* If the loader has examined L, and the process still has too little text to
   gain from huge pages, return true.  If the function returns true, l_addr is
   either unchanged or set to a hint, which the caller passes to the kernel.
   Return false if glibc must call _dl_hugetext_reserve.  FD is the object's
   file; START, LENGTH and ALIGN have the meaning of the members of struct
   hugetext_mapping.  glibc calls this function before it maps the segments of
   L.  */
extern bool _dl_hugetext_hint (struct link_map *l, int fd, ElfW (Addr) start,
                               size_t length,
                               ElfW (Addr) align) attribute_hidden;

/* If L is position-independent, reserve address space for L at which its text
   can be huge.  If the function returns true, it has set l_addr, and the
   caller maps the segments over the reserved range with MAP_FIXED.  If the
   function returns false, it has either left L unchanged, or set l_addr to a
   hint that the caller passes to the kernel. glibc calls this function before
   it maps the segments of L.  */
extern bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping) attribute_hidden;

/* Complete L after mapping, or release L's reservation if mapping has failed.
   glibc calls this function after it has mapped the segments of L.  RESERVED
   is what _dl_hugetext_reserve has returned; ERROR is the stock loader's error
   message, or NULL if there was no error.  */
extern void _dl_hugetext_mapped (struct link_map *l, bool reserved,
                                 const char *error) attribute_hidden;

/* If the loader has reserved the space around L, unmap both L's segments and
   this space, and return true.  glibc calls this function before it unmaps
   the segments of L.  */
extern bool _dl_hugetext_unmap (struct link_map *l) attribute_hidden;

/* Put the text of ROOT and of all its dependencies on huge pages.  glibc calls
   this function when ROOT and the dependencies are mapped, but not yet
   relocated.  If the kernel has unmapped some of the text, and the loader
   cannot map it again, signal an error.  */
extern void _dl_hugetext_populate (struct link_map *root)
    attribute_hidden attribute_every_start;

#endif /* dl-hugetext.h */
