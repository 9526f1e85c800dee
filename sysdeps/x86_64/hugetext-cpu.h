/* The number of huge pages that the instruction TLB holds.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The cap is the number of entries in the first-level TLB, for two reasons:
   misses begin when text exceeds the first level, and hypervisors hide the
   numbers that are needed to compute AMD's second level.  On Ice Lake, leaf
   0x18 reports only 8 of the 16 entries of the first level, so the cap is
   lower than it could be.  */

#ifndef _HUGETEXT_CPU_H
#define _HUGETEXT_CPU_H 1

/* Before GCC 11, this header must not be included twice.  */
#ifndef __cpuid_count
#  include <cpuid.h>
#endif
#include <stddef.h>

/* The cap on huge blocks if the CPU does not report how many entries for huge
   pages its instruction TLB has.  This cap is the smallest number of entries
   in the first-level TLB of all CPUs in use (Skylake, for each thread; Intel
   optimization manual, 2.6).  */
#define HUGETEXT_CPU_BLOCKS_UNKNOWN 8

/* From Intel's leaf 0x18 (deterministic address translation parameters; Intel
   SDM, CPUID), return how many entries the first-level TLB has for
   instructions on pages of 2 MiB.  Return 0 if leaf 0x18 reports no TLB for
   instructions on pages of 2 MiB.  */
static inline size_t
hugetext_cpu_leaf_18 (void)
{
  unsigned int eax, ebx, ecx, edx, last = 0;
  for (unsigned int sub = 0; sub <= last && sub < 64; ++sub)
    {
      __cpuid_count (0x18, sub, eax, ebx, ecx, edx);
      if (sub == 0)
        last = eax;
      unsigned int type = edx & 0x1f; /* Type 2 is an instruction TLB, type 3 a
                                         unified TLB.  */
      unsigned int level = (edx >> 5) & 7;
      if ((type == 2 || type == 3) && level == 1 && (ebx & 2) != 0)
        return (size_t) (ebx >> 16) * ecx;
    }
  return 0;
}

/* From Intel's leaf 2 (one-byte descriptors; Intel SDM, CPUID, table "Encoding
   of CPUID Leaf 2 Descriptors"), return how many entries the first-level TLB
   has for instructions on pages of 2 MiB.  Return 0 if leaf 2 reports no
   entries for instructions on pages of 2 MiB.  */
static inline size_t
hugetext_cpu_leaf_2 (void)
{
  unsigned int reg[4];
  __cpuid (2, reg[0], reg[1], reg[2], reg[3]);
  reg[0] &= ~0xffU; /* The low byte of EAX in leaf 2 is a count, which is
                       always 1.  */
  for (unsigned int i = 0; i < 4; ++i)
    if ((reg[i] & 0x80000000U) == 0)
      for (unsigned int shift = 0; shift < 32; shift += 8)
        switch ((reg[i] >> shift) & 0xff)
          {
          case 0x50:
            return 64; /* The TLB that this descriptor reports also holds 4 KiB
                          pages.  */
          case 0x51:
            return 128;
          case 0x52:
            return 256;
          case 0x55:
            return 7;
          case 0x76:
            return 8;
          }
  return 0;
}

/* From bits 7:0 of AMD's and Hygon's leaf 0x80000005 (AMD APM volume 3,
   Fn8000_0005 EAX), return how many entries the first-level TLB has for
   instructions on pages of 2 MiB.  Return 0 if the leaf reports no entries for
   instructions on pages of 2 MiB.  */
static inline size_t
hugetext_cpu_leaf_amd (void)
{
  unsigned int max, eax, ebx, ecx, edx;
  __cpuid (0x80000000, max, ebx, ecx, edx);
  if (max < 0x80000005)
    return 0;
  __cpuid (0x80000005, eax, ebx, ecx, edx);
  /* In other fields 0xff stands for "fully associative"; no CPU has 255
     first-level entries.  */
  return (eax & 0xff) == 0xff ? 0 : eax & 0xff;
}

/* Return how many entries the first-level TLB has for instructions on pages of
   2 MiB.  Return 0 if the CPU does not report the number of entries, or if a
   hypervisor hides this number.  */
static inline size_t
hugetext_cpu_entries (void)
{
  unsigned int max, ebx, ecx, edx;
  size_t entries = 0;

  __cpuid (0, max, ebx, ecx, edx);
  if (ebx != signature_INTEL_ebx)
    return hugetext_cpu_leaf_amd ();
  if (max >= 0x18)
    entries = hugetext_cpu_leaf_18 ();
  if (entries == 0 && max >= 2)
    entries = hugetext_cpu_leaf_2 ();
  return entries;
}

/* Return the default of glibc.mem.hugetext_max in blocks, at least 1.  */
static inline size_t
hugetext_cpu_blocks (void)
{
  size_t entries = hugetext_cpu_entries ();
  return entries != 0 ? entries : HUGETEXT_CPU_BLOCKS_UNKNOWN;
}

/* Return the default for the maximum number of copies: the same number as
   BLOCKS, the default for the maximum number of blocks.  */
static inline size_t
hugetext_cpu_copies (size_t blocks)
{
  return blocks;
}

#endif /* hugetext-cpu.h */
