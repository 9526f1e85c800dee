/* What the hook headers need of ld-hugetext.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The hooks are glibc's own: dl-map-segments.h, dl-unmap-segments.h and
   dl-prop.h, each found in sysdeps before the stock header of that name.
   Nothing here depends on the glibc version.  */

#ifndef _DL_HUGETEXT_H
#define _DL_HUGETEXT_H 1

#include <link.h>
#include <stdbool.h>

#include "dl-hugetext-plan.h"

/* Whether text of programs and libraries is to be huge in this process:
   glibc.mem.hugetext is 1 or 3, the process is not AT_SECURE, and the
   machine's huge pages are not too large.  Cheap after the first call.  */
extern bool _dl_hugetext_enabled (void) attribute_hidden;

/* Called first of all, with the program headers of what the kernel has
   started and its auxiliary vector.  If that is a program rather than the
   loader, and its text can be huge elsewhere, move it there, correct AUXV
   and return by how much; otherwise return 0.  */
extern ElfW(Addr) _dl_hugetext_program (const ElfW(Phdr) *phdr,
                                        ElfW(Word) phnum,
                                        ElfW(auxv_t) *auxv) attribute_hidden;

/* Begin to describe in OBJECT what is about to be mapped.  ALIGN is the
   largest p_align.  */
extern void _dl_hugetext_begin (struct hugetext_object *object,
                                ElfW(Addr) align) attribute_hidden;

/* Add a segment to OBJECT.  The addresses are link-time addresses as in
   glibc's struct loadcmd, PROT is the mmap protection.  More segments than
   HUGETEXT_SEGMENTS_MAX make OBJECT invalid.  */
extern void _dl_hugetext_add_segment (struct hugetext_object *object,
                                      ElfW(Addr) mapstart, ElfW(Addr) dataend,
                                      ElfW(Addr) allocend, uint64_t mapoff,
                                      int prot) attribute_hidden;

/* Called before the segments of L, open on FD, are mapped.  If L is
   position-independent (TYPE is ET_DYN) and its text can lie on huge pages,
   reserve address space for it where it does, set l_addr and return true:
   then the segments must be mapped with MAP_FIXED.  Otherwise return false
   with L unchanged.  OBJECT holds the segments; its other members are filled
   in here.  MAPLENGTH is the length of the address range from the first to
   the last segment.  */
extern bool _dl_hugetext_reserve (struct link_map *l, int fd, int type,
                                  struct hugetext_object *object,
                                  size_t maplength) attribute_hidden;

/* Called after the segments of L were mapped, with what
   _dl_hugetext_reserve returned and the stock loader's error message or
   NULL.  Completes L, or gives the reservation back.  */
extern void _dl_hugetext_mapped (struct link_map *l, bool reserved,
                                 const char *error) attribute_hidden;

/* Called before the segments of L are unmapped.  If they, or the space
   around them, are ours to unmap, do it and return true.  */
extern bool _dl_hugetext_unmap (struct link_map *l) attribute_hidden;

/* Called when ROOT and everything it needs is mapped, but not yet relocated:
   put their text on huge pages.  */
extern void _dl_hugetext_populate (struct link_map *root) attribute_hidden;

/* Called when PROGRAM and all it needs is mapped, but not yet relocated.
   Does not return if its libc is of another release than the loader.  */
extern void _dl_hugetext_match_program (struct link_map *program)
  attribute_hidden;

/* Likewise for L, which dlopen or dlmopen has mapped.  Signals an error.  */
extern void _dl_hugetext_match_open (struct link_map *l) attribute_hidden;

#endif /* dl-hugetext.h */
