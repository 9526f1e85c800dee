/* Which of the programs that run would gain most.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan.h"
#include "procmaps.h"
#include "survey-rows.h"

#include <stdlib.h>
#include <string.h>

/* Small pages that a thread has entries for in the first level of the
   instruction TLB of most processors: bench/tlbsim/cpus, where some have 48 and
   some more.  */
#define SMALL_ENTRIES 64

/* Whether processes of ROW run for a tenth of a second or less.  A start with
   images costs some tenths of a millisecond more (bench/startup), which is
   what huge pages gain in that time.  */
static bool
is_short_lived (const struct survey_row *row, double rate)
{
  const double least = 0.1;
  return row->starts > 0 && row->all / rate / row->starts < least;
}

/* What ROW is worth, if programs had TIME and WALKS together, and there are
   samples if SAMPLED.  */
static double
worth (const struct survey_row *row, double time, size_t walks, bool sampled)
{
  double small = row->sums.small, used = small + row->sums.huge;
  double share = sampled ? row->all : row->seconds;
  double misses = row->misses.small - row->misses.code;
  if (!sampled)
    {
      /* The more text is in use, the less of it is in the TLB.  */
      const double most = 16 << 20;
      misses = used / (row->processes + !row->processes) / most;
      misses = misses < 1 ? misses : 1;
    }
  /* What is on huge pages has nothing to gain.  */
  double left = used > 0 ? small / used : 1;
  if (walks > 0)
    return row->short_lived ? 0 : row->walks / (double)walks * left;
  return time > 0 && misses > 0 && !row->short_lived ? share / time * misses * left : 0;
}

static int
by_worth (const void *a, const void *b)
{
  const struct survey_row *x = *(struct survey_row *const *)a;
  const struct survey_row *y = *(struct survey_row *const *)b;
  if (x->worth != y->worth)
    return x->worth < y->worth ? 1 : -1;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return strcmp (x->name, y->name);
}

/* Forget rows of which nothing was seen: others' processes, and threads of the
   kernel.  */
static void
drop_unseen (struct survey *survey)
{
  size_t n = 0;
  for (size_t i = 0; i < survey->count; i++)
    {
      struct survey_row *row = survey->rows[i];
      if (row->processes > 0 || row->all > 0)
        survey->rows[n++] = row;
      else
        survey_free_row (row);
    }
  survey->count = n;
}

void
survey_rank (struct survey *survey, bool sampled, double rate)
{
  const struct settings none = { 0 };
  const size_t copies = plan_copies_cap (&none);
  size_t huge = plan_cap (&none);
  /* Where sizes are not kept apart.  */
  if (huge > SMALL_ENTRIES)
    huge = SMALL_ENTRIES;
  double time = 0;
  survey->too_few = sampled && survey->samples < SURVEY_LEAST;
  drop_unseen (survey);
  for (size_t i = 0; i < survey->count; i++)
    time += sampled ? survey->rows[i]->all : survey->rows[i]->seconds;
  for (size_t i = 0; i < survey->count; i++)
    {
      struct survey_row *row = survey->rows[i];
      if (!survey_simulate (row->pages, row->in_text + row->in_made,
                            SMALL_ENTRIES, huge, procmaps_block (),
                            &row->misses))
        survey->failed = true;
      row->copies
          = row->alone * (row->blocks < copies ? row->blocks : copies);
      row->short_lived = sampled && is_short_lived (row, rate);
      row->worth = worth (row, time, survey->walks, sampled);
    }
  if (survey->count > 0)
    qsort (survey->rows, survey->count, sizeof *survey->rows, by_worth);
}
