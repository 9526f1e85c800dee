/* The number of huge pages that the instruction TLB holds.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each entry of an Arm TLB can hold either a small page or a huge page.  So
   an Arm TLB has as many entries for huge pages as for small pages.  The
   sources are the technical reference manuals of Cortex-A76 (A5.2) and of
   Neoverse N1, its server version: "TLB organization", instruction L1 TLB, 48
   entries, fully associative, for pages of 4, 16 and 64 KiB, 2 and 32 MiB.
   No register that a program may read contains the number of entries.  */

#ifndef _HUGETEXT_CPU_H
#define _HUGETEXT_CPU_H 1

#include <stddef.h>
#include <stdint.h>

/* Return the maximum number of huge pages that the loader may use because of
   the instruction TLB.  Any entry of the TLB may hold a huge page, so the TLB
   sets no maximum.  */
static inline size_t
hugetext_cpu_entries (void)
{
  return SIZE_MAX;
}

/* Return the default of glibc.mem.hugetext_max for blocks that take no memory
   from the process: a number so high that it limits nothing.  */
static inline size_t
hugetext_cpu_blocks (void)
{
  return hugetext_cpu_entries ();
}

/* Return the default of glibc.mem.hugetext_max for copies.  The default is 64,
   whatever BLOCKS is: the number of entries for huge pages in the largest
   known first-level TLB (AMD Zen).  With this default, copies use at most 128
   MiB of a process's memory, unless the user asks for more.  Arm's server CPUs
   (Neoverse N1) have 48 entries.  */
static inline size_t
hugetext_cpu_copies (size_t blocks)
{
  (void) blocks;
  return 64;
}

#endif /* hugetext-cpu.h */
