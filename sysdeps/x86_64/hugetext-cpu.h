/* The number of huge pages that the instruction TLB holds.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The cap is the number of entries in the first level of the TLB: text misses
   these entries first, hypervisors hide the numbers that scale AMD's second
   level, and leaf 0x18 understates Ice Lake's first level (8 for 16), which
   makes the cap smaller than it could be.  */

#ifndef _HUGETEXT_CPU_H
#define _HUGETEXT_CPU_H 1

/* Before GCC 11 the header can be included only once.  */
#ifndef __cpuid_count
#  include <cpuid.h>
#endif
#include <stddef.h>

/* The cap if the CPU does not say: the smallest first level among the CPUs in
   use (Skylake, per thread; Intel optimization manual, 2.6).  */
#define HUGETEXT_CPU_BLOCKS_UNKNOWN 8

/* Intel leaf 0x18, deterministic address translation parameters (Intel SDM,
   CPUID): entries of the first-level TLB for instructions and 2 MiB pages,
   0 if it has none or does not say.  */
static inline size_t
hugetext_cpu_leaf_18 (void)
{
  unsigned int eax, ebx, ecx, edx, last = 0;
  for (unsigned int sub = 0; sub <= last && sub < 64; ++sub)
    {
      __cpuid_count (0x18, sub, eax, ebx, ecx, edx);
      if (sub == 0)
        last = eax;
      unsigned int type = edx & 0x1f; /* 2 instruction, 3 unified.  */
      unsigned int level = (edx >> 5) & 7;
      if ((type == 2 || type == 3) && level == 1 && (ebx & 2) != 0)
        return (size_t) (ebx >> 16) * ecx;
    }
  return 0;
}

/* Intel leaf 2, one-byte descriptors (Intel SDM, CPUID, table "Encoding of
   CPUID Leaf 2 Descriptors"): the same number, 0 if there is none.  */
static inline size_t
hugetext_cpu_leaf_2 (void)
{
  unsigned int reg[4];
  __cpuid (2, reg[0], reg[1], reg[2], reg[3]);
  reg[0] &= ~0xffU; /* The low byte is a count, always 1.  */
  for (unsigned int i = 0; i < 4; ++i)
    if ((reg[i] & 0x80000000U) == 0)
      for (unsigned int shift = 0; shift < 32; shift += 8)
        switch ((reg[i] >> shift) & 0xff)
          {
          case 0x50:
            return 64; /* Shared with 4 KiB pages.  */
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

/* AMD's and Hygon's leaf 0x80000005: the same number, in bits 7:0 (AMD APM
   volume 3, Fn8000_0005 EAX), 0 if there is none.  */
static inline size_t
hugetext_cpu_leaf_amd (void)
{
  unsigned int max, eax, ebx, ecx, edx;
  __cpuid (0x80000000, max, ebx, ecx, edx);
  if (max < 0x80000005)
    return 0;
  __cpuid (0x80000005, eax, ebx, ecx, edx);
  /* 0xff stands for "fully associative" in other fields; no CPU has 255
     first-level entries.  */
  return (eax & 0xff) == 0xff ? 0 : eax & 0xff;
}

/* The entries of the first-level TLB for instructions and 2 MiB pages, 0 if
   the CPU does not say, or its hypervisor keeps it from saying so.  */
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

/* The default of glibc.mem.hugetext_max: blocks, at least 1.  */
static inline size_t
hugetext_cpu_blocks (void)
{
  size_t entries = hugetext_cpu_entries ();
  return entries != 0 ? entries : HUGETEXT_CPU_BLOCKS_UNKNOWN;
}

/* The default for copies beside that for blocks: the same number.  */
static inline size_t
hugetext_cpu_copies (size_t blocks)
{
  return blocks;
}

#endif /* hugetext-cpu.h */
