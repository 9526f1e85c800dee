/* Test how lines are broken for a terminal.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE

#include "util/terminal.c"

static int failures;

/* TEXT, broken for COLUMNS columns, of which the first COLUMN are already
   used in the first line, must be WANTED.  */
static void
check (const char *text, int columns, int column, int hang, const char *wanted)
{
  char *made;
  size_t length;
  FILE *stream = open_memstream (&made, &length);
  terminal_fill_text (stream, columns, column, hang, text);
  fclose (stream);
  if (strcmp (made, wanted) != 0)
    {
      printf ("'%s' in %d: '%s' instead of '%s'\n", text, columns, made,
              wanted);
      ++failures;
    }
  free (made);
}

int
main (void)
{
  check ("one two three", 20, 0, 2, "one two three");
  check ("one two three", 13, 0, 2, "one two three");
  check ("one two three", 12, 0, 2, "one two\n  three");
  check ("one two three", 7, 0, 2, "one two\n  three");
  check ("one two three", 6, 0, 2, "one\n  two\n  three");
  check ("one two", 12, 9, 9, "one\n         two");
  /* No word is cut, however few columns there are.  */
  check ("longword a", 3, 0, 1, "longword\n a");
  check ("longword", 3, 5, 5, "longword");
  /* The spaces between columns of a table remain.  */
  check ("a    b  c", 20, 0, 2, "a    b  c");
  check ("", 20, 0, 2, "");
  /* These are four characters, but eight bytes.  */
  check ("\u00e4\u00f6\u00fc\u00df two", 8, 0, 2,
         "\u00e4\u00f6\u00fc\u00df two");
  check ("\u00e4\u00f6\u00fc\u00df two", 7, 0, 2,
         "\u00e4\u00f6\u00fc\u00df\n  two");
  return failures > 0;
}
