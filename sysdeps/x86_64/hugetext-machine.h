/* Facts about the machine: the addresses and the protection of text, and a
   function that jumps to the entry point of a loader.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_MACHINE_H
#define _HUGETEXT_MACHINE_H 1

#include <ldsodefs.h>
#include <stdbool.h>
#include <stdint.h>

/* Return true if the loader must leave objects at the addresses that mmap
   chooses.  With glibc.cpu.prefer_map_32bit_exec (from 2.38 on), mmap chooses
   addresses in the lowest 2 GiB, unless the caller passes an address.  */
static inline bool
hugetext_address_taken (void)
{
#if __GLIBC_PREREQ(2, 38)
  return HAS_ARCH_FEATURE (Prefer_MAP_32BIT_EXEC);
#else
  return false;
#endif
}

/* Return the protection that the text of object L has in addition to PROT_READ
   and PROT_EXEC.  */
static inline int
_dl_hugetext_extra_prot (struct link_map *l)
{
  return 0;
}

#ifndef HUGETEXT_CORE
/* Jump to ENTRY, the entry point of a loader, with the register values that
   the kernel would set.  The stack pointer is set to ARGC, the address at
   which the kernel has stored argc.  Register %rdx is set to 0.  */
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
#endif

#endif /* hugetext-machine.h */
