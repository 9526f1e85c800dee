/* A library that the program needs has its text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tst-hugetext.h"

extern const hugetext_function hugetext_mod1[NFUNCTIONS];

static int
do_test (void)
{
  call_all (hugetext_mod1);
  need_huge_pages ();
  const unsigned long int huge = huge_text (hugetext_mod1);
  printf ("info: %lu bytes are on huge pages\n", huge);
  TEST_VERIFY (huge >= 4UL << 20);
  return 0;
}

#include <support/test-driver.c>
