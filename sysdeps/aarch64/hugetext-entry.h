/* The entry of a loader, and the oldest version of libc's symbols.  AArch64
   version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_ENTRY_H
#define _HUGETEXT_ENTRY_H 1

#include <stdint.h>

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

#endif /* hugetext-entry.h */
