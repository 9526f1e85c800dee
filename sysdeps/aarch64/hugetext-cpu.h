/* The number of huge pages that the instruction TLB holds.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An entry of Arm's TLBs holds a small page or a huge one alike (technical
   reference manuals of Cortex-A76, A5.2, and of Neoverse N1, its server
   version, "TLB organization": instruction L1 TLB, 48 entries, fully
   associative, for pages of 4, 16 and 64 KiB, 2 and 32 MiB), so that huge
   pages never have fewer entries than small ones.  No register that a program
   may read tells the number of entries.  */

#ifndef _HUGETEXT_CPU_H
#define _HUGETEXT_CPU_H 1

#include <stddef.h>
#include <stdint.h>

/* The entries for huge pages: any may be one, so that no number of huge pages
   is too many.  */
static inline size_t
hugetext_cpu_entries (void)
{
  return SIZE_MAX;
}

/* The default of glibc.mem.hugetext_max for blocks that cost no memory: no
   limit.  */
static inline size_t
hugetext_cpu_blocks (void)
{
  return hugetext_cpu_entries ();
}

/* The default for copies, whatever it is for BLOCKS: the number of entries of
   the largest known first level for huge pages (64, AMD Zen), so that no
   process takes more than 128 MiB of memory unasked; the servers among these
   processors have 48 entries.  */
static inline size_t
hugetext_cpu_copies (size_t blocks)
{
  (void) blocks;
  return 64;
}

#endif /* hugetext-cpu.h */
