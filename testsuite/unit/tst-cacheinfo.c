/* Tests that results of CPUID are kept (sysdeps/x86_64/dl-cacheinfo.h).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   stock/dl-cacheinfo.h replaces glibc's file.  The test's version makes the
   CPU queries that a case lists.  */

#include "plan-test.h"

#ifdef __x86_64__

/* A query of the CPU.  */
struct question
{
  unsigned int leaf, subleaf;
};

struct cpu_features
{
  const char *name;
  struct question question[16];
  size_t expected; /* How many of the queries reach the CPU.  */
};

static size_t executed;

/* On this simulated CPU, leaf 5 has 0 in EAX.  */
static void
execute (unsigned int leaf, unsigned int subleaf, unsigned int *eax,
         unsigned int *ebx, unsigned int *ecx, unsigned int *edx)
{
  ++executed;
  *eax = leaf == 0x80000005 ? 0 : leaf ^ subleaf << 8;
  *ebx = leaf + subleaf;
  *ecx = 3 * leaf + subleaf;
  *edx = 5 * leaf + subleaf;
}

#  define __cpuid_count(leaf, subleaf, a, b, c, d) \
    execute (leaf, subleaf, &(a), &(b), &(c), &(d))
#  define __cpuid(leaf, a, b, c, d) __cpuid_count (leaf, 0, a, b, c, d)
#  include <dl-cacheinfo.h>

static struct cpu_features cases[] = {
  { "Intel",
    { { 2, 0 },
      { 4, 0 },
      { 2, 0 },
      { 4, 0 },
      { 4, 1 },
      { 2, 0 },
      { 4, 0 },
      { 4, 1 },
      { 4, 2 },
      { 4, 3 },
      { 4, 0 } },
    5 },
  { "AMD",
    { { 0x80000000, 0 },
      { 0x8000001d, 0 },
      { 0x80000000, 0 },
      { 0x8000001d, 3 },
      { 0x8000001d, 1 },
      { 0x8000001d, 3 },
      { 0x80000006, 0 },
      { 0x80000006, 0 } },
    5 },
  { "a result with 0 in EAX is cached, too",
    { { 0x80000005, 0 }, { 0x80000005, 0 } },
    1 },
  { "results of subleaves that no CPU has are not cached",
    { { 4, 5 },
      { 4, 6 },
      { 4, 7 },
      { 4, 6 },
      { 4, UINT32_MAX },
      { 0x8000001d, 6 },
      { 0x8000001d, 6 },
      { 4, 5 },
      { 2, 0 } },
    8 },
  { "results of other leaves are not cached",
    { { 1, 0 }, { 11, 1 }, { 11, 0 }, { 11, 1 }, { 1, 0 } },
    5 },
};

int
main (void)
{
  size_t n = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i, ++n)
    {
      executed = 0;
      memset (hugetext_leaves.known, 0, sizeof hugetext_leaves.known);
      dl_init_cacheinfo (&cases[i]);
      if (executed != cases[i].expected)
        fprintf (stderr, "%s\n", cases[i].name);
      EXPECT_EQUAL (executed, cases[i].expected);
    }
  group_done ("answers of CPUID", n);
  return 0;
}

#else

int
main (void)
{
  return 0;
}

#endif
