/* Tests of each architecture's defaults for blocks and for copies.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The headers of both architectures are compiled for the host.  The code for
   x86-64 is compiled only on x86-64, because it executes CPUID.  In the test
   it gets the results from a list of what CPUs and hypervisors report.  */

#include "plan-test.h"

#define hugetext_cpu_entries aarch64_entries
#define hugetext_cpu_blocks aarch64_blocks
#define hugetext_cpu_copies aarch64_copies
#include "../../sysdeps/aarch64/hugetext-cpu.h"
#undef hugetext_cpu_entries
#undef hugetext_cpu_blocks
#undef hugetext_cpu_copies
#undef _HUGETEXT_CPU_H

#ifdef __x86_64__
#  include <cpuid.h>

/* The result of a leaf of CPUID: EAX to EDX.  */
struct leaf
{
  unsigned int number, sub;
  unsigned int reg[4];
};

/* A CPU.  Leaves that are not listed return 0.  */
struct cpu
{
  const char *name;
  size_t entries, blocks;
  struct leaf leaves[5];
};

static const struct cpu *cpu; /* The simulated CPU, or NULL for this
                                 machine's.  */

static void
ask (unsigned int number, unsigned int sub, unsigned int *eax,
     unsigned int *ebx, unsigned int *ecx, unsigned int *edx)
{
  if (cpu == NULL)
    {
      __cpuid_count (number, sub, *eax, *ebx, *ecx, *edx);
      return;
    }
  *eax = *ebx = *ecx = *edx = 0;
  for (size_t i = 0; i < sizeof cpu->leaves / sizeof *cpu->leaves; ++i)
    if (cpu->leaves[i].number == number && cpu->leaves[i].sub == sub)
      {
        *eax |= cpu->leaves[i].reg[0];
        *ebx |= cpu->leaves[i].reg[1];
        *ecx |= cpu->leaves[i].reg[2];
        *edx |= cpu->leaves[i].reg[3];
      }
}

#  undef __cpuid
#  undef __cpuid_count
#  define __cpuid_count(number, sub, a, b, c, d) \
    ask (number, sub, &(a), &(b), &(c), &(d))
#  define __cpuid(number, a, b, c, d) __cpuid_count (number, 0, a, b, c, d)
#  define hugetext_cpu_entries x86_entries
#  define hugetext_cpu_blocks x86_blocks
#  define hugetext_cpu_copies x86_copies
#  include "../../sysdeps/x86_64/hugetext-cpu.h"

#  define INTEL signature_INTEL_ebx
#  define AMD signature_AMD_ebx

/* The sub-leaves of leaf 0x18 of CPUID.  EBX has the ways and the page sizes
   (bit 1: 2 MiB), ECX the sets, EDX the type (2: instructions) and the level.
 */
static const struct cpu cpus[] = {
  { "Skylake",
    8,
    8,
    { { 0, 0, { 0x16, INTEL, 0, 0 } },
      { 2, 0, { 0x76036301, 0xf0b5ff, 0, 0xc30000 } } } },
  { "Sapphire Rapids",
    32,
    32,
    { { 0, 0, { 0x20, INTEL, 0, 0 } },
      { 2, 0, { 0x00feff01, 0xf0, 0, 0 } },
      { 0x18, 0, { 2, 0, 0, 0 } },
      { 0x18, 1, { 0, 0x00080001, 32, 0x22 } },
      { 0x18, 2, { 0, 0x00080006, 4, 0x22 } } } },
  { "an Intel CPU whose hypervisor hides leaf 0x18",
    0,
    8,
    { { 0, 0, { 0x20, INTEL, 0, 0 } },
      { 2, 0, { 0x00feff01, 0xf0, 0, 0 } } } },
  { "an Intel CPU with only a second-level TLB and a data TLB",
    0,
    8,
    { { 0, 0, { 0x20, INTEL, 0, 0 } },
      { 0x18, 0, { 2, 0, 0, 0 } },
      { 0x18, 1, { 0, 0x00080003, 128, 0x43 } },
      { 0x18, 2, { 0, 0x00040002, 8, 0x21 } } } },
  { "Zen",
    64,
    64,
    { { 0, 0, { 0x10, AMD, 0, 0 } },
      { 0x80000000, 0, { 0x80000021, 0, 0, 0 } },
      { 0x80000005, 0, { 0xff48ff40, 0, 0, 0 } } } },
  { "a CPU with all bits set in EAX of leaf 0x80000005",
    0,
    8,
    { { 0, 0, { 0x10, AMD, 0, 0 } },
      { 0x80000000, 0, { 0x80000021, 0, 0, 0 } },
      { 0x80000005, 0, { 0xffffffff, 0, 0, 0 } } } },
  { "a CPU without leaf 0x80000005",
    0,
    8,
    { { 0, 0, { 0x10, AMD, 0, 0 } },
      { 0x80000000, 0, { 0x80000004, 0, 0, 0 } },
      { 0x80000005, 0, { 0xff48ff40, 0, 0, 0 } } } },
};

static void
test_x86 (void)
{
  size_t count = sizeof cpus / sizeof *cpus;

  for (cpu = cpus; cpu < cpus + count; ++cpu)
    if (x86_entries () != cpu->entries || x86_blocks () != cpu->blocks)
      {
        printf ("%s: %zu entries, %zu blocks\n", cpu->name, x86_entries (),
                x86_blocks ());
        exit (1);
      }
  printf ("ok CPUs of x86-64: %zu cases\n", count);

  /* The default for copies is the same as for blocks.  No CPU has more than
     255 first-level entries for instructions on pages of 2 MiB.  */
  cpu = NULL;
  EXPECT (x86_blocks () >= 1 && x86_blocks () <= 256);
  EXPECT (x86_copies (x86_blocks ()) == x86_blocks ());
  printf ("ok defaults of x86-64: 2 cases\n");
}
#endif

int
main (void)
{
  /* Arm's TLBs hold huge pages in the same entries as small ones, so blocks of
     a file are not limited.  Copies are limited, because each process has its
     own copies: 64 copies take 128 MiB.  */
  EXPECT (aarch64_blocks () == SIZE_MAX);
  EXPECT (aarch64_copies (aarch64_blocks ()) == 64);
  printf ("ok defaults of AArch64: 2 cases\n");

#ifdef __x86_64__
  test_x86 ();
#endif
  return 0;
}
