/* The functions of ld-hugetext that the hook headers call.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The hooks are glibc's own: dl-map-segments.h, dl-unmap-segments.h,
   dl-prop.h and dl-sysdep.c, each found in sysdeps before the stock file of
   that name.  Nothing here depends on the glibc version.  */

#ifndef _DL_HUGETEXT_H
#define _DL_HUGETEXT_H 1

#include <link.h>
#include <stdbool.h>

/* Called first of all, with the program headers of what the kernel has
   started and its auxiliary vector.  If that is a program rather than the
   loader, and its text can be huge elsewhere, move it there, correct AUXV
   and return by how much; otherwise return 0.  */
extern ElfW (Addr)
    _dl_hugetext_program (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                          ElfW (auxv_t) * auxv) attribute_hidden;

/* glibc's facts about an object that it is about to map.  */
struct hugetext_mapping
{
  int fd;
  int type; /* ET_DYN or ET_EXEC.  */
  const ElfW (Ehdr) * header;
  const ElfW (Phdr) * phdr; /* All of them, NULL if not at hand.  */
  ElfW (Addr) start;        /* Link-time address of the first page.  */
  size_t length;            /* To the end of the last segment.  */
  ElfW (Addr) align;        /* Alignment asked for.  */
};

/* Called before the segments of L are mapped.  If L is position-independent
   and its text can lie on huge pages, reserve address space for it where it
   does, set l_addr and return true: then the segments must be mapped with
   MAP_FIXED.  Otherwise return false with L unchanged.  */
extern bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping) attribute_hidden;

/* Called after the segments of L were mapped, with what
   _dl_hugetext_reserve returned and the stock loader's error message or
   NULL.  Completes L, or gives the reservation back.  */
extern void _dl_hugetext_mapped (struct link_map *l, bool reserved,
                                 const char *error) attribute_hidden;

/* Called before the segments of L are unmapped.  If they, or the space
   around them, are ours to unmap, do it and return true.  */
extern bool _dl_hugetext_unmap (struct link_map *l) attribute_hidden;

/* Called when ROOT and everything it needs is mapped, but not yet relocated:
   put their text on huge pages.  Signals an error if the kernel has lost
   some of it.  */
extern void _dl_hugetext_populate (struct link_map *root) attribute_hidden;

/* Called after that, when ROOT is the program.  Does not return from a
   rehearsal.  */
extern void _dl_hugetext_rehearsed (void) attribute_hidden;

/* Called when PROGRAM and all it needs is mapped, but not yet relocated.
   Does not return if its libc is of another release than the loader.  */
extern void
_dl_hugetext_match_program (struct link_map *program) attribute_hidden;

/* Likewise for L, which dlopen or dlmopen has mapped.  Signals an error.  */
extern void _dl_hugetext_match_open (struct link_map *l) attribute_hidden;

#endif /* dl-hugetext.h */
