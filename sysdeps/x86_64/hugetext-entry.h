/* The entry of a loader, and the oldest version of libc's symbols.  x86-64
   version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_ENTRY_H
#define _HUGETEXT_ENTRY_H 1

#include <stdint.h>

/* Enter a loader at ENTRY as the kernel does: with the stack pointer at ARGC,
   and 0 in %rdx.  */
static inline void __attribute__ ((noreturn, always_inline))
hugetext_enter (uintptr_t entry, void *argc)
{
  asm volatile("mov %1, %%rsp\n\t"
               "xor %%ebp, %%ebp\n\t"
               "xor %%edx, %%edx\n\t"
               "jmp *%0"
               :
               : "a"(entry), "c"(argc)
               : "memory");
  __builtin_unreachable ();
}

#endif /* hugetext-entry.h */
