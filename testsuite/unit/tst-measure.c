/* What "hugetext measure" says of measurements that are known.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE

#include "../../tools/compare.c"
#include "../../tools/measurement.c"
#include "../../tools/quantity.c"
#include "../../tools/terminal.c"
#include "../../tools/measure-show.c"

#include "plan-test.h"

enum
{
  ROUNDS = 41,
};

double
report_share (size_t huge, size_t small)
{
  return 100.0 * huge / (huge + small);
}

/* Of "stock" and "store", with so many per cent of the latter's text on huge
   pages, what is said of the times BASE and WITH must have all of WANTED, and
   not UNWANTED.  */
static void
check (const char *name, const double base[], const double with[],
       double percent_huge, const char *wanted[], const char *unwanted)
{
  struct run_values runs[2 * ROUNDS];
  struct measurement m = { .rounds = ROUNDS, .count = 2, .runs = runs };
  char *text;
  size_t size;
  m.contenders[0].name = "stock";
  m.contenders[1].name = "store";
  m.contenders[1].settings.value[SETTING_MODE] = SETTINGS_TEXT;
  for (size_t i = 0; i < 2 * ROUNDS; i++)
    {
      for (enum quantity q = 0; q < QUANTITIES; q++)
        runs[i].value[q] = NAN;
      runs[i].value[QUANTITY_TIME] = i < ROUNDS ? base[i] : with[i - ROUNDS];
      runs[i].value[QUANTITY_HUGE] = i < ROUNDS ? 0 : percent_huge;
    }
  FILE *stream = open_memstream (&text, &size);
  measure_show (stream, &m);
  fclose (stream);
  bool good = strstr (text, unwanted) == NULL;
  for (size_t i = 0; wanted[i] != NULL; i++)
    good &= strstr (text, wanted[i]) != NULL;
  if (!good)
    printf ("%s:\n%s", name, text);
  EXPECT (good);
  free (text);
  group_done (name, 1);
}

int
main (void)
{
  double base[ROUNDS], with[ROUNDS];

  /* Two in three are a little faster, the others much slower.  */
  for (size_t i = 0; i < ROUNDS; i++)
    {
      base[i] = 1 + 0.001 * i;
      with[i] = base[i] * (i % 3 == 0 ? 1.1 : 0.98);
    }
  check ("what is not sure has no sign", base, with, 100,
         (const char *[]) { " not sure (", "No difference: ", NULL }, " s   -");

  /* All pairs are faster, though the machine was slow for half of them.  */
  for (size_t i = 0; i < ROUNDS; i++)
    {
      base[i] = i <= ROUNDS / 2 ? 1 : 9;
      with[i] = 0.9 * base[i];
    }
  check ("medians that agree", base, with, 100,
         (const char *[]) { " -10.0 % (-10.0 to -10.0)", "faster than", NULL },
         "opposite");
  /* But two, by which the median is one of the slow half.  */
  with[0] = with[1] = 6;
  check ("medians that say the opposite", base, with, 100,
         (const char *[]) { "faster than", "The medians say the opposite",
                            NULL },
         "No difference");

  for (size_t i = 0; i < ROUNDS; i++)
    base[i] = with[i] = 1;
  check ("a store without images", base, with, 0,
         (const char *[]) { "store: none of its text was on huge pages, so",
                            NULL },
         "No difference");
  check ("a store with images", base, with, 50,
         (const char *[]) { "No difference: store against stock", NULL },
         "none of its text");
  return 0;
}
