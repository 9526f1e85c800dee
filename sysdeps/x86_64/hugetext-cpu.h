/* The number of huge pages that the instruction TLB holds.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The cap is the number of entries in the first-level TLB, for two reasons.
   Text misses the first level first, and hypervisors hide the numbers that
   scale AMD's second level.  Leaf 0x18 understates Ice Lake's first level (8
   instead of 16), so the cap is smaller on Ice Lake than it could be.  */

#ifndef _HUGETEXT_CPU_H
#define _HUGETEXT_CPU_H 1

/* Before GCC 11 the header can be included only once.  */
#ifndef __cpuid_count
#  include <cpuid.h>
#endif
#include <stddef.h>

/* The cap if the CPU does not report a number: the smallest first-level TLB of
   the CPUs in use (Skylake, per thread; Intel optimization manual, 2.6).  */
#define HUGETEXT_CPU_BLOCKS_UNKNOWN 8

/* Return the entries of the first-level TLB for instructions and 2 MiB pages
   by Intel's leaf 0x18, deterministic address translation parameters (Intel
   SDM, CPUID).  Return 0 if the leaf reports no such TLB.  */
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

/* Return the entries of the first-level TLB for instructions and 2 MiB pages
   by Intel's leaf 2, one-byte descriptors (Intel SDM, CPUID, table "Encoding
   of CPUID Leaf 2 Descriptors").  Return 0 if no descriptor reports them.  */
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
            return 64; /* Entries for 4 KiB pages, too.  */
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

/* Return the entries of the first-level TLB for instructions and 2 MiB pages
   by bits 7:0 of AMD's and Hygon's leaf 0x80000005 (AMD APM volume 3,
   Fn8000_0005 EAX).  Return 0 if the leaf does not report them.  */
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

/* Return the entries of the first-level TLB for instructions and 2 MiB pages.
   Return 0 if the CPU does not report them, or if its hypervisor hides
   them.  */
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

/* Return the default for copies, which is the default for blocks.  */
static inline size_t
hugetext_cpu_copies (size_t blocks)
{
  return blocks;
}

#endif /* hugetext-cpu.h */
