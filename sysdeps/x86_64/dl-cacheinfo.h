/* The figures of the CPU's caches, for which the CPU is asked once.  x86-64
   version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc wants twelve figures, and reads the same leaves of CPUID for each of
   them: Intel's before 2.44, AMD's in every release.  In a virtual machine the
   instruction traps to the host and takes 2 to 3 us, and what is asked again
   makes up an eighth of the start of a small program (doc/experiments/start).
   So the answers are kept as long as glibc's own functions, which this file
   wraps, compute the figures.  From 2.33 on the loader computes them.  */

/* Before GCC 11 the header can be included only once.  */
#ifndef __cpuid_count
#  include <cpuid.h>
#endif

/* The number of subleaves that are kept.  Each describes a cache; no CPU has
   as many.  */
#define HUGETEXT_SUBLEAVES 6

/* The places of the answers that are kept.  */
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

/* The answers, while the figures are computed; 0 in EAX says that there is
   none yet.  */
struct hugetext_leaves
{
  unsigned int eax[HUGETEXT_LEAVES], ebx[HUGETEXT_LEAVES],
      ecx[HUGETEXT_LEAVES], edx[HUGETEXT_LEAVES];
};
static struct hugetext_leaves *hugetext_leaves attribute_relro;

/* Return the place of the answer for LEAF and SUBLEAF, HUGETEXT_LEAVES if it
   is not kept.  */
static __always_inline unsigned int
hugetext_leaf_place (unsigned int leaf, unsigned int subleaf)
{
  switch (leaf)
    {
    case 2:
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

/* Set the registers to CPUID's answer for LEAF and SUBLEAF.  */
static __always_inline void
hugetext_cpuid (unsigned int leaf, unsigned int subleaf, unsigned int *eax,
                unsigned int *ebx, unsigned int *ecx, unsigned int *edx)
{
  struct hugetext_leaves *leaves = hugetext_leaves;
  const unsigned int i = hugetext_leaf_place (leaf, subleaf);
  if (i < HUGETEXT_LEAVES && __glibc_likely (leaves->eax[i] != 0))
    {
      *eax = leaves->eax[i];
      *ebx = leaves->ebx[i];
      *ecx = leaves->ecx[i];
      *edx = leaves->edx[i];
      return;
    }
  __cpuid_count (leaf, subleaf, *eax, *ebx, *ecx, *edx);
  if (i < HUGETEXT_LEAVES)
    {
      leaves->eax[i] = *eax;
      leaves->ebx[i] = *ebx;
      leaves->ecx[i] = *ecx;
      leaves->edx[i] = *edx;
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
#define dl_init_cacheinfo dl_init_cacheinfo_stock
#include_next <dl-cacheinfo.h>
#undef dl_init_cacheinfo
#pragma pop_macro("__cpuid_count")
#pragma pop_macro("__cpuid")

static void
dl_init_cacheinfo (struct cpu_features *cpu_features)
{
  struct hugetext_leaves leaves;
  for (unsigned int i = 0; i < HUGETEXT_LEAVES; ++i)
    leaves.eax[i] = 0;
  hugetext_leaves = &leaves;
  dl_init_cacheinfo_stock (cpu_features);
}
