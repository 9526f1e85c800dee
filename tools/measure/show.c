/* The result of a measurement, for people and for programs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/measure.h"
#include "text/json.h"
#include "util/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns after which sentences go on.  */
#define HANG 2

static const struct
{
  const char *key;   /* The key in JSON.  */
  const char *words; /* The words for people.  */
  const char *unit;
  double scale; /* The number of units in one of the value.  */
} rows[QUANTITIES] = {
  [QUANTITY_NUMBER] = { "number", "number printed", "", 1 },
  [QUANTITY_TIME] = { "seconds", "time", " s", 1 },
  [QUANTITY_USER] = { "user_seconds", "user time", " s", 1 },
  [QUANTITY_SYSTEM] = { "system_seconds", "system time", " s", 1 },
  [QUANTITY_MINOR] = { "minor_faults", "faults, minor", "", 1 },
  [QUANTITY_MAJOR] = { "major_faults", "faults, major", "", 1 },
  [QUANTITY_RSS]
  = { "max_rss_bytes", "most memory (RSS)", " MiB", 1.0 / (1 << 20) },
  [QUANTITY_CYCLES]
  = { "cycles_per_instruction", "cycles/instruction", "", 1 },
  [QUANTITY_ITLB] = { "itlb_misses_per_1000", "iTLB misses /1000", "", 1 },
};

/* One quantity of one variant.  */
struct summary
{
  size_t count;             /* Rounds in which it is known.  */
  double median, low, high; /* Median and quartiles.  */
  bool compared;            /* The ratio to the first variant is known.  */
  struct comparison comparison;
};

static struct summary
sum_up (const struct measurement *m, size_t c, enum quantity quantity)
{
  double base[MEASURE_MOST], values[MEASURE_MOST];
  struct summary summary = { .count = 0 };
  for (size_t round = 0; round < m->rounds; ++round)
    {
      base[round] = m->runs[0][round].value[quantity];
      values[round] = m->runs[c][round].value[quantity];
      summary.count += !isnan (values[round]);
    }
  summary.median = compare_quantile (values, m->rounds, 0.5);
  summary.low = compare_quantile (values, m->rounds, 0.25);
  summary.high = compare_quantile (values, m->rounds, 0.75);
  summary.compared
      = (c > 0
         && compare_pairs (base, values, m->rounds, &summary.comparison));
  return summary;
}

/* Return the quantity that is compared.  */
static enum quantity
subject (const struct measurement *m)
{
  return m->number ? QUANTITY_NUMBER : QUANTITY_TIME;
}

/* Whether variant C is to have text on huge pages.  */
static bool
is_wanted (const struct measurement *m, size_t c)
{
  return (m->variants[c].settings.value[SETTING_MODE] & SETTINGS_TEXT) != 0;
}

/* Whether variant C was to have text on huge pages, and had none.  */
static bool
has_none (const struct measurement *m, size_t c)
{
  return (is_wanted (m, c) && m->families[c].processes > 0
          && m->families[c].sums.huge == 0);
}

/* Return VALUE of QUANTITY with its unit, for people, in BUFFER.  */
static const char *
print_value (enum quantity quantity, double value, char buffer[static 32])
{
  const char *unit = rows[quantity].unit;
  double shown = value * rows[quantity].scale;
  if (strcmp (unit, " s") == 0 && shown < 1)
    {
      shown *= 1000;
      unit = " ms";
    }
  double size = fabs (shown);
  int digits = (size == 0 || size >= 1000 ? 0
                : size >= 100             ? 1
                : size >= 10              ? 2
                                          : 3);
  /* Counters have no digits behind the point.  */
  if (quantity == QUANTITY_MINOR || quantity == QUANTITY_MAJOR)
    digits = 0;
  if (isnan (value))
    strcpy (buffer, "-");
  else
    snprintf (buffer, 32, "%.*f%s", digits, shown, unit);
  return buffer;
}

static double
percent (double ratio)
{
  return 100 * (ratio - 1);
}

static void
show_row (FILE *stream, const struct measurement *m, enum quantity quantity)
{
  char left[32], right[32];
  const struct summary base = sum_up (m, 0, quantity);
  const struct summary with = sum_up (m, 1, quantity);
  const struct comparison *x = &with.comparison;
  /* Leave out a line of zeros.  */
  if ((base.count == 0 && with.count == 0)
      || (base.median == 0 && with.median == 0))
    return;
  fprintf (stream, "%-18s %10s %10s", rows[quantity].words,
           print_value (quantity, base.median, left),
           print_value (quantity, with.median, right));
  if (with.compared && comparison_is_even (x))
    fputs (" not sure", stream);
  else if (with.compared)
    fprintf (stream, " %+6.1f %%", percent (x->ratio));
  if (with.compared && (terminal_columns () == 0 || terminal_columns () >= 76))
    fprintf (stream, " (%+.1f to %+.1f)", percent (x->low), percent (x->high));
  fputc ('\n', stream);
}

/* Print text and memory before the rounds.  */
static void
show_text (FILE *stream, const struct measurement *m)
{
  const struct family *base = &m->families[0], *with = &m->families[1];
  for (size_t c = 0; c < 2; ++c)
    if (m->families[c].processes == 0)
      {
        terminal_say (stream, HANG,
                      "%s: it ended too soon for its text to be looked at.",
                      m->variants[c].name);
        return;
      }
  fprintf (stream, "%-18s %8.1f %% %8.1f %% (seen once)\n",
           "text on huge pages",
           report_share (base->sums.huge, base->sums.small),
           report_share (with->sums.huge, with->sums.small));
  fprintf (stream, "%-18s %6.2f MiB %6.2f MiB (seen once)\n",
           "its share (PSS)", base->part / 1048576.0, with->part / 1048576.0);
  if (!is_wanted (m, 0) && base->sums.huge > 0)
    terminal_say (stream, HANG, "%s: text was on huge pages without us, too.",
                  m->variants[0].name);
}

/* Print the result in a sentence.  */
static void
show_verdict (FILE *stream, const struct measurement *m)
{
  const char *name = m->variants[1].name, *base = m->variants[0].name;
  const struct summary summary = sum_up (m, 1, subject (m));
  const struct comparison *x = &summary.comparison;
  if (has_none (m, 1))
    terminal_say (stream, HANG,
                  "%s: none of its text was on huge pages, so this says"
                  " nothing about them; hugetext explain says why.",
                  name);
  else if (!summary.compared)
    terminal_say (stream, HANG,
                  "%s: its numbers are not all positive, so there is no"
                  " ratio.",
                  name);
  else if (comparison_is_even (x))
    terminal_say (stream, HANG,
                  "No difference: %s against %s is between %+.1f and %+.1f"
                  " %%, %d %% sure.%s",
                  name, base, percent (x->low), percent (x->high),
                  MEASURE_SURE,
                  x->high / x->low > 1.1
                      ? " The runs are too unlike each other to see less than"
                        " that: --rounds=N, or a quieter machine."
                      : "");
  else
    terminal_say (stream, HANG,
                  "%s is %s than %s: %.1f %% %s%s, between %.1f and %.1f, %d"
                  " %% sure.",
                  name,
                  m->number      ? x->ratio < 1 ? "lower" : "higher"
                  : x->ratio < 1 ? "faster"
                                 : "slower",
                  base, fabs (percent (x->ratio)),
                  x->ratio < 1 ? "less" : "more", m->number ? "" : " time",
                  fabs (percent (x->ratio < 1 ? x->high : x->low)),
                  fabs (percent (x->ratio < 1 ? x->low : x->high)),
                  MEASURE_SURE);
}

void
measure_show (FILE *stream, const struct measurement *m)
{
  char heading[64];
  snprintf (heading, sizeof heading, "median of %zu", m->rounds);
  fprintf (stream, "%-18s %10s %10s  change (%d %% sure)\n", heading,
           m->variants[0].name, m->variants[1].name, MEASURE_SURE);
  for (enum quantity q = 0; q < QUANTITIES; ++q)
    show_row (stream, m, q);
  show_text (stream, m);
  show_verdict (stream, m);
  if (m->counters.problem[0] != '\0')
    terminal_say (stream, HANG, "Not counted: %s%s.",
                  m->counters.has[COUNTER_INSTRUCTIONS]
                      ? ""
                      : "misses of the instruction TLB; ",
                  m->counters.problem);
}

/* Set a number with as many digits as distinguish it; JSON has none for
   NAN.  */
static void
set_double (struct json_object *object, const char *key, double value)
{
  char digits[32];
  snprintf (digits, sizeof digits, "%.9g", value);
  json_object_object_add (
      object, key,
      isnan (value) ? NULL : json_object_new_double_s (value, digits));
}

static struct json_object *
summary_json (const struct summary *summary)
{
  struct json_object *json = json_object_new_object ();
  json_set_number (json, "rounds", summary->count);
  set_double (json, "median", summary->median);
  set_double (json, "low_quartile", summary->low);
  set_double (json, "high_quartile", summary->high);
  if (summary->compared)
    {
      set_double (json, "ratio", summary->comparison.ratio);
      set_double (json, "ratio_low", summary->comparison.low);
      set_double (json, "ratio_high", summary->comparison.high);
    }
  return json;
}

/* Return the result of variant C against the first.  */
static const char *
verdict (const struct measurement *m, size_t c)
{
  const struct summary s = sum_up (m, c, subject (m));
  return (c == 0                               ? NULL
          : has_none (m, c)                    ? "no huge text"
          : !s.compared                        ? NULL
          : comparison_is_even (&s.comparison) ? "no difference"
          : s.comparison.ratio < 1             ? "less"
                                               : "more");
}

static struct json_object *
variant_json (const struct measurement *m, size_t c)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *sums = json_object_new_object ();
  struct json_object *runs = json_object_new_array ();
  const struct family *family = &m->families[c];
  json_set_string (json, "name", m->variants[c].name);
  for (size_t round = 0; round < m->rounds; ++round)
    json_object_array_add (runs, json_object_new_object ());
  for (enum quantity q = 0; q < QUANTITIES; ++q)
    {
      const struct summary summary = sum_up (m, c, q);
      if (summary.count == 0)
        continue;
      json_object_object_add (sums, rows[q].key, summary_json (&summary));
      for (size_t round = 0; round < m->rounds; ++round)
        set_double (json_object_array_get_idx (runs, round), rows[q].key,
                    m->runs[c][round].value[q]);
    }
  json_object_object_add (json, "summary", sums);
  json_object_object_add (json, "runs", runs);
  set_double (json, "huge_text_percent",
              family->processes > 0
                  ? report_share (family->sums.huge, family->sums.small)
                  : NAN);
  json_set_number (json, "pss_bytes", family->part);
  json_object_object_add (json, "backing",
                          json_backings (family->sums.backing));
  json_set_string (json, "verdict", verdict (m, c));
  return json;
}

void
measure_json (FILE *stream, const struct measurement *m)
{
  struct json_object *json = json_begin ();
  struct json_object *command = json_object_new_array ();
  struct json_object *settings = json_object_new_array ();
  for (char **word = m->command; *word != NULL; ++word)
    json_object_array_add (command, json_string (*word));
  for (size_t c = 0; c < 2; ++c)
    json_object_array_add (settings, variant_json (m, c));
  json_object_object_add (json, "command", command);
  json_set_number (json, "rounds", m->rounds);
  json_set_string (json, "compared", rows[subject (m)].key);
  json_set_number (json, "sure_percent", MEASURE_SURE);
  json_object_object_add (json, "settings", settings);
  json_set_string (json, "not_counted",
                   m->counters.problem[0] != '\0' ? m->counters.problem
                                                  : NULL);
  json_print (stream, json, false);
}
