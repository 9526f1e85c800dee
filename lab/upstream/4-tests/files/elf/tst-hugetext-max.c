/* Not more blocks of text are on huge pages than glibc.elf.hugetext_max
   allows, which is one block in this test.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tst-hugetext.h"

extern const hugetext_function hugetext_mod1[NFUNCTIONS];

static int
do_test (void)
{
  call_all (hugetext_mod1);
  need_huge_pages ();
  TEST_COMPARE (huge_text (hugetext_mod1), 2UL << 20);
  return 0;
}

#include <support/test-driver.c>
