/* Tests of printed shares: a share below 100 % is never printed as 100 %.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/columns.c"

#include <string.h>

static int failures;

const char *
backing_names (unsigned int backing, char buffer[static 40])
{
  (void) backing;
  return buffer;
}

/* Check that SHARE is printed as WANTED.  */
static void
check (double share, const char *wanted)
{
  char buffer[16];
  const char *text = column_share_text (share, buffer);
  if (strcmp (text, wanted) != 0)
    {
      printf ("%f: '%s' instead of '%s'\n", share, text, wanted);
      ++failures;
    }
}

int
main (void)
{
  check (column_share (0, 0), "-");
  check (column_share (0, 4096), "0.0 %");
  check (column_share (4096, 0), "100.0 %");
  check (column_share (99999, 1), "99.9 %");
  check (99.94, "99.9 %");
  check (12.34, "12.3 %");
  failures += column_share_shown (99.6, 1) != 99;
  failures += column_share_shown (99.999, 0.01) >= 99.995;
  failures += column_share_shown (100, 1) != 100;
  return failures > 0;
}
