/* What the loader needs of a machine: the addresses that text may have, the
   protection that it needs, and the entry of a loader.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_MACHINE_H
#define _HUGETEXT_MACHINE_H 1

#include <ldsodefs.h>
#include <stdbool.h>
#include <stdint.h>

/* True if objects are to lie where mmap puts them.  */
static inline bool
hugetext_address_taken (void)
{
  return false;
}

/* PROT_BTI if the text of L is mapped with it, or 0.  */
extern int _dl_hugetext_extra_prot (struct link_map *l) attribute_hidden;

#ifndef HUGETEXT_CORE
/* Enter a loader at ENTRY as the kernel does: with the stack pointer at ARGC,
   and 0 in x0.  The jump goes through x16, from which it may lead to any
   landing pad.  */
static inline void __attribute__ ((noreturn, always_inline))
hugetext_enter (uintptr_t entry, void *argc)
{
  register uintptr_t target asm("x16") = entry;
  asm volatile("mov sp, %1\n\t"
               "mov x0, xzr\n\t"
               "mov x29, xzr\n\t"
               "mov x30, xzr\n\t"
               "br %0"
               :
               : "r"(target), "r"(argc)
               : "x0", "x30", "memory");
  __builtin_unreachable ();
}
#endif

#endif /* hugetext-machine.h */
