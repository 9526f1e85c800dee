/* Tests of the survey: the worth of programs with known samples.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#include "survey/rank.c"

enum
{
  COUNT = 10000,
  RATE = 2000,
};

/* A program that runs through PAGES of text COUNT times, all on small pages.
 */
static struct survey_row
make (char *name, size_t pages, size_t count)
{
  struct survey_row row
      = { .name = name, .processes = 1, .samples = count, .in_text = count };
  row.sums.small = pages * 4096;
  for (size_t i = 0; i < count; ++i)
    survey_execute (&row, 1 + i % pages);
  return row;
}

/* What fits misses once; what does not, always: exact LRU.  */
static void
test_misses (void)
{
  for (size_t pages = 1; pages < 300; ++pages)
    EXPECT_EQUAL (make ("", pages, COUNT).misses,
                  pages <= SURVEY_ENTRIES ? pages : COUNT);
  group_done ("samples in a TLB", 299);
}

static void
test_rank (void)
{
  struct survey_row many = make ("many", 1000, COUNT);
  struct survey_row less = make ("less", 1000, COUNT / 2);
  struct survey_row few = make ("few", 4, 2 * COUNT);
  struct survey_row huge = make ("huge", 1000, 2 * COUNT);
  struct survey_row half = make ("half", 1000, COUNT);
  struct survey_row brief = make ("brief", 1000, COUNT);
  struct survey_row *foreign = calloc (1, sizeof *foreign);
  struct survey_row *rows[]
      = { &huge, &few, &brief, foreign, &less, &half, &many };
  struct survey survey = { .rows = rows, .count = 7, .samples = 7 * COUNT };
  huge.sums = (struct text_sums){ .huge = 1 };
  half.sums = (struct text_sums){ .huge = 1, .small = 2 };
  /* Processes of a fiftieth of a second each.  */
  brief.starts = COUNT / RATE * 50;
  survey_rank (&survey, RATE);
  EXPECT (!survey.too_few && survey.count == 6);
  EXPECT (rows[0] == &many && rows[1] == &half && rows[2] == &less
          && rows[3] == &few);
  EXPECT (few.worth > 0 && few.worth * 100 < less.worth);
  EXPECT (huge.worth == 0 && brief.worth == 0 && brief.short_lived);
  survey.samples = SURVEY_LEAST - 1;
  survey_rank (&survey, RATE);
  EXPECT (survey.too_few);
  group_done ("worth", 6);
}

int
main (void)
{
  test_misses ();
  test_rank ();
  return 0;
}
