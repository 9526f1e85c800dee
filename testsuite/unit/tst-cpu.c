/* Tests of the architectures' defaults for blocks and for copies.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Both headers are compiled for the host; that of x86-64 only there, since
   it asks the CPU.  */

#include "plan-test.h"

#define hugetext_cpu_blocks aarch64_blocks
#define hugetext_cpu_copies aarch64_copies
#include "../../sysdeps/aarch64/hugetext-cpu.h"
#undef hugetext_cpu_blocks
#undef hugetext_cpu_copies
#undef _HUGETEXT_CPU_H

#ifdef __x86_64__
#  define hugetext_cpu_blocks x86_blocks
#  define hugetext_cpu_copies x86_copies
#  include "../../sysdeps/x86_64/hugetext-cpu.h"
#endif

int
main (void)
{
  /* Arm's TLBs hold huge pages in the same entries as small ones, so that
     blocks of the file are not limited; copies are, for each process has its
     own: 64 are 128 MiB.  */
  EXPECT (aarch64_blocks () == SIZE_MAX);
  EXPECT (aarch64_copies (aarch64_blocks ()) == 64);
  printf ("ok defaults of AArch64: 2 cases\n");

#ifdef __x86_64__
  /* What the TLB holds is also what may be copied.  No CPU has more than 255
     first-level entries for instructions on 2 MiB pages.  */
  EXPECT (x86_blocks () >= 1 && x86_blocks () <= 256);
  EXPECT (x86_copies (x86_blocks ()) == x86_blocks ());
  printf ("ok defaults of x86-64: 2 cases\n");
#endif
  return 0;
}
