/* Replaces glibc's header of this name for tst-cacheinfo.c: it makes the
   queries of a case, and checks the answers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

static void
dl_init_cacheinfo (struct cpu_features *cpu_features)
{
  const struct question *question = cpu_features->question;
  for (; question->leaf != 0; ++question)
    {
      unsigned int eax, ebx, ecx, edx, leaf = question->leaf;
      __cpuid_count (leaf, question->subleaf, eax, ebx, ecx, edx);
      EXPECT_EQUAL (eax,
                    leaf == 0x80000005 ? 0 : leaf ^ question->subleaf << 8);
      EXPECT_EQUAL (ebx, leaf + question->subleaf);
      EXPECT_EQUAL (ecx, 3 * leaf + question->subleaf);
      EXPECT_EQUAL (edx, 5 * leaf + question->subleaf);
    }
}
