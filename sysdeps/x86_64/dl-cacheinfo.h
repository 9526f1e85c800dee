/* Results of CPUID, which are kept so that glibc queries the CPU about its
   caches only once.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc computes twelve figures about the caches of the CPU.  On an AMD CPU,
   every release of glibc queries the same leaves of CPUID again for each of
   the twelve figures.  On an Intel CPU, releases of glibc before 2.44, except
   the updated 2.41 of Debian 13, also query the same leaves again for each
   figure.  In a virtual machine CPUID traps to the host and takes 2 to 3 us,
   so the repeated queries make up an eighth of the start-up time of a small
   program (doc/experiments/start).  To avoid repeated queries, this file wraps
   glibc's functions, and stores the result of each query for later ones.  From
   glibc 2.33 on, the loader (not libc) computes the figures about caches.  */

#include <stdbool.h>

/* Before GCC 11, this header must not be included twice.  */
#ifndef __cpuid_count
#  include <cpuid.h>
#endif

/* The number of subleaves of leaf 4, and of leaf 0x8000001d, whose results are
   in hugetext_leaves.  Each subleaf describes one cache of the CPU.  The last
   subleaf says that there are no more caches.  The arrays have room for the
   subleaves of all caches of any CPU.  */
#define HUGETEXT_SUBLEAVES 6

/* The index of each leaf and subleaf in the arrays of hugetext_leaves.  */
enum
{
  HUGETEXT_LEAF_4,
  HUGETEXT_LEAF_2 = HUGETEXT_LEAF_4 + HUGETEXT_SUBLEAVES,
  HUGETEXT_LEAF_80000000,
  HUGETEXT_LEAF_80000005,
  HUGETEXT_LEAF_80000006,
  HUGETEXT_LEAF_8000001D,
  HUGETEXT_LEAVES = HUGETEXT_LEAF_8000001D + HUGETEXT_SUBLEAVES
};

/* The results of CPUID.  hugetext_leaves is in the loader's RELRO data,
   because the loader writes to hugetext_leaves only before it makes RELRO
   read-only.  hugetext_leaves has a section of its own, which the linker puts
   before the sections of glibc's constants.  If hugetext_leaves were between
   glibc's constants, it would separate pointers among the constants.  The
   loader relocates these pointers when it starts, and would take longer to
   relocate separated pointers.  */
static struct
{
  bool known[HUGETEXT_LEAVES];
  unsigned int eax[HUGETEXT_LEAVES], ebx[HUGETEXT_LEAVES],
      ecx[HUGETEXT_LEAVES], edx[HUGETEXT_LEAVES];
} hugetext_leaves __attribute__ ((section (".data.rel.ro.local.hugetext")));

/* Return the place in hugetext_leaves of the result that CPUID has for LEAF
   and SUBLEAF.  If hugetext_leaves has no place for the result of LEAF and
   SUBLEAF, return HUGETEXT_LEAVES.  */
static __always_inline unsigned int
hugetext_leaf_place (unsigned int leaf, unsigned int subleaf)
{
  switch (leaf)
    {
    case 2:
      /* The result's byte AL says how often leaf 2 must be queried; every CPU
         reports 1.  */
      return HUGETEXT_LEAF_2;
    case 4:
      return (subleaf < HUGETEXT_SUBLEAVES ? HUGETEXT_LEAF_4 + subleaf
                                           : HUGETEXT_LEAVES);
    case 0x80000000:
      return HUGETEXT_LEAF_80000000;
    case 0x80000005:
      return HUGETEXT_LEAF_80000005;
    case 0x80000006:
      return HUGETEXT_LEAF_80000006;
    case 0x8000001d:
      return (subleaf < HUGETEXT_SUBLEAVES ? HUGETEXT_LEAF_8000001D + subleaf
                                           : HUGETEXT_LEAVES);
    default:
      return HUGETEXT_LEAVES;
    }
}

/* Set *EAX, *EBX, *ECX and *EDX to the result of CPUID for LEAF and
   SUBLEAF.  */
static __always_inline void
hugetext_cpuid (unsigned int leaf, unsigned int subleaf, unsigned int *eax,
                unsigned int *ebx, unsigned int *ecx, unsigned int *edx)
{
  const unsigned int i = hugetext_leaf_place (leaf, subleaf);
  if (i < HUGETEXT_LEAVES && __glibc_likely (hugetext_leaves.known[i]))
    {
      *eax = hugetext_leaves.eax[i];
      *ebx = hugetext_leaves.ebx[i];
      *ecx = hugetext_leaves.ecx[i];
      *edx = hugetext_leaves.edx[i];
      return;
    }
  __cpuid_count (leaf, subleaf, *eax, *ebx, *ecx, *edx);
  if (i < HUGETEXT_LEAVES)
    {
      hugetext_leaves.eax[i] = *eax;
      hugetext_leaves.ebx[i] = *ebx;
      hugetext_leaves.ecx[i] = *ecx;
      hugetext_leaves.edx[i] = *edx;
      hugetext_leaves.known[i] = true;
    }
}

#pragma push_macro("__cpuid")
#pragma push_macro("__cpuid_count")
#undef __cpuid
#undef __cpuid_count
#define __cpuid_count(leaf, subleaf, a, b, c, d)                  \
  do                                                              \
    {                                                             \
      unsigned int eax_, ebx_, ecx_, edx_;                        \
      hugetext_cpuid (leaf, subleaf, &eax_, &ebx_, &ecx_, &edx_); \
      (a) = eax_, (b) = ebx_, (c) = ecx_, (d) = edx_;             \
      (void) (a), (void) (b), (void) (c), (void) (d);             \
    }                                                             \
  while (0)
#define __cpuid(leaf, a, b, c, d) __cpuid_count (leaf, 0, a, b, c, d)
#include_next <dl-cacheinfo.h>
#pragma pop_macro("__cpuid_count")
#pragma pop_macro("__cpuid")
