/* Test that the arguments of the command's formats print no newlines.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan-test.h"

#include "util/output.c"

/* Check that *STREAM prints WANTED for FORMAT with the arguments TEXT and
   NUMBER.  errno is ENOENT.  */
static void
check (FILE **stream, const char *format, const char *text, int number,
       const char *wanted)
{
  char *got = NULL;
  size_t size;
  FILE *const own = *stream;
  *stream = open_memstream (&got, &size);
  errno = ENOENT;
  const int length = output_print (*stream, format, text, number);
  fclose (*stream);
  *stream = own;
  if (strcmp (got, wanted) != 0)
    (fprintf) (stderr, "got: %s\n", got);
  EXPECT (strcmp (got, wanted) == 0);
  EXPECT_EQUAL ((size_t) length, strlen (wanted));
  free (got);
}

int
main (void)
{
  static const struct
  {
    const char *format, *text, *wanted;
  } cases[] = {
    { "%s: %d\n", "a", "a: 7\n" },
    { "\t%s\n\n%d\n", "a\nb\tc\n", "\ta?b?c?\n\n7\n" },
    { "%s%d", "\n\n", "??7" },
    { "%5s|%d\n", "\n", "    ?|7\n" },
    { "%-3s|%d\n", "\n", "?  |7\n" },
    { "%.2s|%d\n", "\n\n\n", "??|7\n" },
    { "%.0s%d\n", "\n", "7\n" },
    { "%s%d%%\n", " \n", " ?7%\n" },
    { "%s %d %m\n", "\n", "? 7 No such file or directory\n" },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      check (&stdout, cases[i].format, cases[i].text, 7, cases[i].wanted);
      check (&stderr, cases[i].format, cases[i].text, 7, cases[i].wanted);
    }
  FILE *data = NULL;
  check (&data, "%s\n%d\n", "a\nb", 7, "a\nb\n7\n");
  group_done ("formats", count + 1);
  return 0;
}
