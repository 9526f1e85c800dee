/* Print what "hugetext measure" has found, for people.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure-show.h"
#include "terminal.h"

#include <math.h>
#include <string.h>

/* Columns after which sentences go on.  */
#define HANG 2

/* Whether ranges fit.  */
static bool
is_wide (void)
{
  return terminal_columns () == 0 || terminal_columns () >= 76;
}

static double
percent (double ratio)
{
  return 100 * (ratio - 1);
}

/* Whether QUANTITY was the same for A and B: a column of zeros is no news.  */
static bool
is_dull (const struct summary *a, const struct summary *b)
{
  return ((a->count == 0 && b->count == 0)
          || (a->median == 0 && b->median == 0));
}

/* Whether the medians of BASE and WITH say the opposite of the ratio, of pairs:
   the machine was another one for some of the rounds.  */
static bool
is_contrary (const struct summary *base, const struct summary *with)
{
  const struct comparison *x = &with->comparison;
  return (with->compared && !comparison_is_even (x)
          && (with->median - base->median) * (x->ratio - 1) < 0);
}

/* The line of QUANTITY for contender C.  */
static void
show_row (FILE *stream, const struct measurement *m, size_t c,
          enum quantity quantity)
{
  char left[32], right[32];
  struct summary base = measurement_summary (m, 0, quantity);
  struct summary with = measurement_summary (m, c, quantity);
  if (is_dull (&base, &with))
    return;
  fprintf (stream, "%-20s %10s %10s", quantity_rows[quantity].words,
           quantity_print (quantity, base.median, left),
           quantity_print (quantity, with.median, right));
  /* A share of a share says nothing.  */
  if (with.compared && quantity != QUANTITY_HUGE
      && comparison_is_even (&with.comparison))
    fputs (" not sure", stream);
  else if (with.compared && quantity != QUANTITY_HUGE)
    fprintf (stream, " %+6.1f %%", percent (with.comparison.ratio));
  if (with.compared && quantity != QUANTITY_HUGE && is_wide ())
    fprintf (stream, " (%+.1f to %+.1f)", percent (with.comparison.low),
             percent (with.comparison.high));
  fputc ('\n', stream);
}

/* Memory is looked at once, before the first round.  */
static void
show_part (FILE *stream, const struct measurement *m, size_t c)
{
  const struct family *base = &m->families[0], *with = &m->families[c];
  if (base->part > 0 && with->part > 0)
    fprintf (stream, "%-20s %6.2f MiB %6.2f MiB (seen once)\n",
             "its share (PSS)", base->part / 1048576.0,
             with->part / 1048576.0);
}

/* What came of contender C, in a sentence.  */
static void
show_verdict (FILE *stream, const struct measurement *m, size_t c)
{
  const char *name = m->contenders[c].name, *base = m->contenders[0].name;
  const struct summary summary
      = measurement_summary (m, c, measurement_subject (m));
  const struct comparison *x = &summary.comparison;
  if (measurement_has_none (m, c))
    {
      terminal_say (stream, HANG,
                    "%s: none of its text was on huge pages, so this says"
                    " nothing about them; hugetext explain says why.",
                    name);
      return;
    }
  if (!summary.compared)
    {
      terminal_say (stream, HANG,
                    "%s: its numbers are not all positive, so there is no"
                    " ratio.",
                    name);
      return;
    }
  if (comparison_is_even (x))
    {
      terminal_say (
          stream, HANG,
          "No difference: %s against %s is between %+.1f and %+.1f %%,"
          " %d %% sure.",
          name, base, percent (x->low), percent (x->high), COMPARE_SURE);
      if (x->high / x->low > 1.1)
        terminal_say (stream, HANG,
                      "The runs are too unlike each other to see less than"
                      " that: --rounds=N, or a quieter machine.");
      return;
    }
  const double by = fabs (percent (x->ratio));
  double less = fabs (percent (x->low)), more = fabs (percent (x->high));
  if (less > more)
    {
      double kept = less;
      less = more;
      more = kept;
    }
  if (m->number)
    terminal_say (stream, HANG,
                  "The number is %s with %s than with %s: by %.1f %%, between"
                  " %.1f and %.1f, %d %% sure.",
                  x->ratio < 1 ? "lower" : "higher", name, base, by, less,
                  more, COMPARE_SURE);
  else
    terminal_say (stream, HANG,
                  "%s is %s than %s: %.1f %% %s time, between %.1f and %.1f,"
                  " %d %% sure.",
                  name, x->ratio < 1 ? "faster" : "slower", base, by,
                  x->ratio < 1 ? "less" : "more", less, more, COMPARE_SURE);
  const struct summary first
      = measurement_summary (m, 0, measurement_subject (m));
  if (is_contrary (&first, &summary))
    terminal_say (stream, HANG,
                  "The medians say the opposite: the machine has changed"
                  " meanwhile. That is of runs one after the other.");
}

/* What the kernel said about the text of contender C, if it is not what one
   takes for granted.  */
static void
show_text (FILE *stream, const struct measurement *m, size_t c)
{
  const struct contender *contender = &m->contenders[c];
  const struct family *family = &m->families[c];
  const bool wanted
      = (contender->settings.value[SETTING_MODE] & SETTINGS_TEXT) != 0;
  size_t seen, none;
  measurement_text (m, c, &seen, &none);
  if (seen == 0 && family->processes == 0)
    terminal_say (stream, HANG,
                  "%s: it ended too soon for its text to be looked at.",
                  contender->name);
  else if (wanted && seen == 0)
    terminal_say (
        stream, HANG,
        "%s: it ended too soon for its text to be looked at in each round;"
        " before them %.1f %% was huge.",
        contender->name, report_share (family->sums.huge, family->sums.small));
  else if (wanted && none > 0 && none < seen)
    terminal_say (
        stream, HANG,
        "%s: no text was on huge pages in %zu of the %zu rounds in which"
        " it was seen; hugetext explain says why.",
        contender->name, none, seen);
  else if (!wanted && seen > none)
    terminal_say (
        stream, HANG,
        "%s: text was on huge pages in %zu of the %zu rounds in which it"
        " was seen, without us.",
        contender->name, seen - none, seen);
}

void
measure_show (FILE *stream, const struct measurement *m)
{
  for (size_t c = 1; c < m->count; c++)
    {
      char heading[64];
      if (c > 1)
        fputc ('\n', stream);
      snprintf (heading, sizeof heading, "median of %zu rounds", m->rounds);
      fprintf (stream, "%-20s %10s %10s %8s", heading, m->contenders[0].name,
               m->contenders[c].name, "change");
      if (is_wide ())
        fprintf (stream, " (%d %% sure)", COMPARE_SURE);
      fputc ('\n', stream);
      for (enum quantity q = 0; q < QUANTITIES; q++)
        show_row (stream, m, c, q);
      show_part (stream, m, c);
      show_verdict (stream, m, c);
      show_text (stream, m, c);
    }
  show_text (stream, m, 0);
  if (m->counters.any)
    terminal_say (stream, HANG,
                  "/1000: in a thousand instructions, in user mode.");
  if (m->counters.problem[0] != '\0')
    terminal_say (stream, HANG, "Not counted: %s%s.",
                  m->counters.any ? "" : "misses of the instruction TLB; ",
                  m->counters.problem);
}
