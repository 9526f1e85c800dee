/* Facts about the machine: the addresses and the protection of text, and a
   function that jumps to the entry point of a loader.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_MACHINE_H
#define _HUGETEXT_MACHINE_H 1

#include <ldsodefs.h>
#include <stdbool.h>
#include <stdint.h>

/* Return true if the loader must leave objects at the addresses that mmap
   chooses.  */
static inline bool
hugetext_address_taken (void)
{
  return false;
}

/* Return PROT_BTI if the text of L is mapped with PROT_BTI, otherwise 0.  */
extern int _dl_hugetext_extra_prot (struct link_map *l) attribute_hidden;

#ifndef HUGETEXT_CORE
/* Jump to ENTRY, the entry point of a loader, with the register values that
   the kernel would set.  The stack pointer is set to ARGC, the address at
   which the kernel has stored argc.  Register x0 is set to 0.  Jump through
   register x16, because a jump through x16 may go to any kind of landing pad
   (BTI).  */
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
