/* The worth of huge pages to programs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "survey/survey.h"

#include <stdlib.h>
#include <string.h>

void
survey_execute (struct survey_row *row, uint64_t page)
{
  size_t i = 0;
  while (i < row->nentries && row->entries[i] != page)
    ++i;
  if (i == row->nentries)
    {
      ++row->misses;
      if (row->nentries < SURVEY_ENTRIES)
        ++row->nentries;
      i = row->nentries - 1;
    }
  /* Replace the least recently used entry.  */
  memmove (row->entries + 1, row->entries, i * sizeof *row->entries);
  row->entries[0] = page;
}

/* Whether processes of ROW run for a tenth of a second or less.  A start with
   images costs some tenths of a millisecond more (bench/startup), as much as
   huge pages gain in that time.  */
static bool
is_short_lived (const struct survey_row *row, double rate)
{
  const double least = 0.1;
  return row->starts > 0 && row->samples / rate / row->starts < least;
}

/* Return the worth of ROW: its time, times the share that misses, times the
   share that is not on huge pages already.  */
static double
worth (const struct survey_row *row)
{
  const double executed = row->in_text + row->in_made;
  const double used = row->sums.small + row->sums.huge;
  if (row->short_lived || executed == 0)
    return 0;
  return (row->samples * (row->misses / executed)
          * (used > 0 ? row->sums.small / used : 1));
}

static int
by_worth (const void *a, const void *b)
{
  const struct survey_row *x = *(struct survey_row *const *) a;
  const struct survey_row *y = *(struct survey_row *const *) b;
  if (x->worth != y->worth)
    return x->worth < y->worth ? 1 : -1;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return strcmp (x->name, y->name);
}

void
survey_free_row (struct survey_row *row)
{
  free (row->name);
  free (row->path);
  free (row->service);
  free (row);
}

/* Drop rows without readable text: other users' processes, and threads of the
   kernel.  */
static void
drop_unseen (struct survey *survey)
{
  size_t n = 0;
  for (size_t i = 0; i < survey->count; ++i)
    {
      struct survey_row *row = survey->rows[i];
      if (row->processes > 0 || row->samples > 0)
        survey->rows[n++] = row;
      else
        survey_free_row (row);
    }
  survey->count = n;
}

void
survey_rank (struct survey *survey, double rate)
{
  survey->too_few = survey->samples < SURVEY_LEAST;
  drop_unseen (survey);
  for (size_t i = 0; i < survey->count; ++i)
    {
      struct survey_row *row = survey->rows[i];
      row->short_lived = is_short_lived (row, rate);
      row->worth = worth (row);
    }
  if (survey->count > 0)
    qsort (survey->rows, survey->count, sizeof *survey->rows, by_worth);
}
