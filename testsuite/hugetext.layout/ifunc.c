/* An IFUNC in a test object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

static int
implementation (void)
{
  return 42;
}

static void *
resolve (void)
{
  return implementation;
}

static int indirect (void) __attribute__ ((ifunc ("resolve")));

int
case_test (void)
{
  return indirect ();
}

int main_test (void) __attribute__ ((alias ("case_test")));
