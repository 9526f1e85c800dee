/* A program has its own text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tst-hugetext.h"

HUGETEXT_FUNCTIONS (program);

static int
do_test (void)
{
  call_all (program);
  need_huge_pages ();
  /* A program that the kernel has mapped stays at its place, where it has at
     least one block less.  */
  const unsigned long int huge = huge_text (program);
  printf ("info: %lu bytes are on huge pages\n", huge);
  TEST_VERIFY (huge >= 2UL << 20);
  return 0;
}

#include <support/test-driver.c>
