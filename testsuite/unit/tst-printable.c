/* Test that printable text contains no control sequences for a terminal.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-printable [ROUNDS [SEED]] tries ROUNDS random texts.  */

#include "printable-check.h"

static void
test_texts (void)
{
  static const struct
  {
    const char *text, *wanted;
  } cases[] = {
    { "/usr/bin/x", "/usr/bin/x" },
    { "\u00e4\u20ac\U0001f600", "\u00e4\u20ac\U0001f600" },
    { "a\tb\nc", "a\tb\nc" },
    { "\033]0;x\a\r\b\177", "?]0;x????" },
    /* Control characters C1, as one byte and in UTF-8.  */
    { "\2331m", "?1m" },
    { "\302\205\302\2331m\u00a0", "????1m\u00a0" },
    { "\u200ea\u200fb\u061cc", "???a???b??c" },
    { "\u202aa\u202eb\u2066c\u2069", "???a???b???c???" },
    { "\u2028\u2029\u2027\u202f\u2065\u206a",
      "??????\u2027\u202f\u2065\u206a" },
    /* Invalid UTF-8: a form that is too long, a surrogate, a character beyond
       the last one, half a character, and a lone byte.  */
    { "\300\233", "??" },
    { "\340\202\233", "???" },
    { "\360\200\202\233", "????" },
    { "\355\240\200", "???" },
    { "\364\220\200\200", "????" },
    { "\342\200x", "??x" },
    { "\342\200", "??" },
    { "\377\376", "??" },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      char text[64];
      strcpy (text, cases[i].text);
      EXPECT_EQUAL (printable (text, strlen (text), true, false),
                    strlen (cases[i].text));
      if (strcmp (text, cases[i].wanted) != 0)
        fprintf (stderr, "%zu: %s\n", i, text);
      EXPECT (strcmp (text, cases[i].wanted) == 0);
      check_printable_bytes (text, strlen (text));
    }
  char lines[] = "a\tb\nc";
  EXPECT (!is_printable (lines));
  printable_string (lines);
  EXPECT (strcmp (lines, "a?b?c") == 0 && is_printable (lines));
  group_done ("texts", count);
}

static void
test_random (unsigned long int rounds, uint64_t state)
{
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      uint8_t data[32];
      size_t size = next_random (&state) % sizeof data;
      for (size_t i = 0; i < size; ++i)
        data[i] = next_random (&state) >> 32;
      /* Half of the rounds use only these bytes, because more characters of
         such a text are printed unchanged.  */
      for (size_t i = 0; round % 2 == 0 && i < size; ++i)
        data[i]
            = "\342\200\201\246\216\252\302\233\330\234a\033"[data[i] % 12];
      check_printable_bytes (data, size);
    }
  group_done ("random bytes", rounds);
}

int
main (int argc, char **argv)
{
  unsigned long int rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 100000;
  uint64_t state = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  test_texts ();
  test_random (rounds, state != 0 ? state : 1);
  return 0;
}
