/* Show the result of a measurement, as text and as JSON.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/measure.h"
#include "text/json.h"
#include "util/terminal.h"

#include <math.h>
#include <string.h>

/* The indentation of a continued line, in columns.  */
#define HANG 2

static const struct
{
  const char *key;   /* The key of the quantity in JSON.  */
  const char *words; /* The words for the quantity in text.  */
  const char *unit;
  double scale; /* The factor by which a value is multiplied to get the
                   printed unit.  */
} rows[QUANTITIES] = {
  [QUANTITY_NUMBER] = { "number", "number printed", "", 1 },
  [QUANTITY_TIME] = { "seconds", "time", " ms", 1000 },
  [QUANTITY_CPU] = { "cpu_seconds", "processor time", " ms", 1000 },
  [QUANTITY_FAULTS] = { "faults", "page faults", "", 1 },
  [QUANTITY_RSS]
  = { "max_rss_bytes", "most memory (RSS)", " MiB", 1.0 / (1 << 20) },
  [QUANTITY_CYCLES]
  = { "cycles_per_instruction", "cycles/instruction", "", 1 },
  [QUANTITY_ITLB] = { "itlb_misses_per_1000", "iTLB misses /1000", "", 1 },
};

/* Compare the values of QUANTITY of the two variants of the measurement M.
   Return false if the ratio of the values cannot be estimated.  */
static bool
measure_show_compare_variants (const struct measurement *m,
                               enum quantity quantity,
                               struct comparison *comparison)
{
  return compare_pairs (m->variants[0].values[quantity],
                        m->variants[1].values[quantity], m->rounds,
                        comparison);
}

/* Return the quantity that M compares.  */
static enum quantity
subject (const struct measurement *m)
{
  return m->number ? QUANTITY_NUMBER : QUANTITY_TIME;
}

/* The results that a comparison can have for the second variant.  */
enum verdict
{
  VERDICT_NONE, /* The ratio is unknown.  */
  VERDICT_NO_HUGE_TEXT,
  VERDICT_EVEN,
  VERDICT_LESS,
  VERDICT_MORE,
};

/* The words in JSON for the possible results of a comparison.  */
static const char *const verdict_words[] = {
  [VERDICT_NONE] = NULL,
  [VERDICT_NO_HUGE_TEXT] = "no huge text",
  [VERDICT_EVEN] = "no difference",
  [VERDICT_LESS] = "less",
  [VERDICT_MORE] = "more",
};

/* Return the result of comparing the second variant of M with the first, and
   set *X to the ratio of the two.  */
static enum verdict
verdict (const struct measurement *m, struct comparison *x)
{
  const struct variant *with = &m->variants[1];
  const bool known = measure_show_compare_variants (m, subject (m), x);
  if ((with->settings.value[SETTING_MODE] & SETTINGS_TEXT) != 0
      && with->family.processes > 0 && with->family.sums.huge == 0)
    return VERDICT_NO_HUGE_TEXT;
  return (!known                   ? VERDICT_NONE
          : comparison_is_even (x) ? VERDICT_EVEN
          : x->ratio < 1           ? VERDICT_LESS
                                   : VERDICT_MORE);
}

bool
measure_has_result (const struct measurement *m)
{
  struct comparison x;
  return verdict (m, &x) != VERDICT_NONE;
}

static double
median (const struct measurement *m, size_t c, enum quantity quantity)
{
  return compare_quantile (m->variants[c].values[quantity], m->rounds, 0.5);
}

/* Print the median of QUANTITY of variant C with its unit, in ten columns.  */
static void
show_median (FILE *stream, const struct measurement *m, size_t c,
             enum quantity quantity)
{
  char text[32];
  const double shown = median (m, c, quantity) * rows[quantity].scale;
  const double size = fabs (shown);
  snprintf (text, sizeof text, "%.*f%s",
            size >= 1000  ? 0
            : size >= 100 ? 1
            : size >= 10  ? 2
                          : 3,
            shown, rows[quantity].unit);
  fprintf (stream, " %10s", text);
}

static void
measure_show_show_row (FILE *stream, const struct measurement *m,
                       enum quantity quantity)
{
  struct comparison x;
  if (isnan (median (m, 0, quantity)) || isnan (median (m, 1, quantity)))
    return;
  fprintf (stream, "%-18s", rows[quantity].words);
  show_median (stream, m, 0, quantity);
  show_median (stream, m, 1, quantity);
  if (measure_show_compare_variants (m, quantity, &x))
    {
      if (comparison_is_even (&x))
        fputs (" not sure", stream);
      else
        fprintf (stream, " %+6.1f %%", comparison_percent (x.ratio));
      if (terminal_columns () == 0 || terminal_columns () >= 76)
        fprintf (stream, " (%+.1f to %+.1f)", comparison_percent (x.low),
                 comparison_percent (x.high));
    }
  fputc ('\n', stream);
}

/* Print the share of text on huge pages, as found in the unmeasured runs
   before the measured rounds.  */
static void
measure_show_show_text (FILE *stream, const struct measurement *m)
{
  const struct family *base = &m->variants[0].family;
  const struct family *with = &m->variants[1].family;
  char before[16], after[16];
  if (base->processes > 0 && with->processes > 0)
    fprintf (stream, "%-18s %10s %10s (seen once)\n", "text on huge pages",
             column_share_text (
                 column_share (base->sums.huge, base->sums.small), before),
             column_share_text (
                 column_share (with->sums.huge, with->sums.small), after));
  else
    fputs ("The command ended before its text could be inspected.\n", stream);
}

/* If a variant of M had huge text although its settings do not ask for it,
   print what this means for the comparison.  */
static void
show_surprise (FILE *stream, const struct measurement *m)
{
  for (size_t c = 0; c < 2; ++c)
    if (variant_is_small (&m->variants[c])
        && m->variants[c].family.sums.huge > 0)
      terminal_say (
          stream, HANG,
          "%s: some text was on huge pages, too, usually because "
          "its file is cached in huge pages; so the comparison shows "
          "only a part of the difference from small pages.",
          m->variants[c].name);
}

/* COMPARISON compares the times of the variants of M.  If the times vary too
   much to show a small difference, set WORDS, a buffer of SIZE bytes, to a
   sentence that says how to find a small difference; if not, set WORDS to
   "".  */
static void
measure_show_describe_more (const struct measurement *m,
                            const struct comparison *comparison, char *words,
                            size_t size)
{
  const size_t rounds = compare_rounds (comparison, m->rounds, COMPARE_WIDE);
  char option[64] = "";
  if (rounds > 0)
    snprintf (option, sizeof option, "--rounds=%zu, or ", rounds);
  words[0] = '\0';
  if (comparison->high / comparison->low > COMPARE_WIDE)
    snprintf (words, size,
              " The running times vary too much to find a smaller difference: "
              "use %sa quieter machine.",
              option);
}

/* Print the result in a sentence.  */
static void
measure_show_show_verdict (FILE *stream, const struct measurement *m)
{
  const char *name = m->variants[1].name, *base = m->variants[0].name;
  struct comparison x;
  const enum verdict found = verdict (m, &x);
  if (found == VERDICT_NONE)
    terminal_say (
        stream, HANG,
        "%s: the numbers are not all positive, so there is no ratio.", name);
  else if (found == VERDICT_NO_HUGE_TEXT)
    terminal_say (
        stream, HANG,
        "%s: no text was on huge pages, so the comparison says "
        "nothing about huge pages. To see why: hugetext explain PROGRAM",
        name);
  else if (found == VERDICT_EVEN)
    {
      char more[160];
      measure_show_describe_more (m, &x, more, sizeof more);
      terminal_say (stream, HANG,
                    "No difference found: the change from %s to %s is between "
                    "%+.1f and %+.1f %%, with %d %% confidence.%s",
                    base, name, comparison_percent (x.low),
                    comparison_percent (x.high), MEASURE_SURE, more);
    }
  else
    terminal_say (stream, HANG,
                  "%s is %s than %s: %.1f %% %s%s, between %.1f and %.1f, "
                  "with %d %% confidence.",
                  name,
                  m->number     ? x.ratio < 1 ? "lower" : "higher"
                  : x.ratio < 1 ? "faster"
                                : "slower",
                  base, fabs (comparison_percent (x.ratio)),
                  verdict_words[found], m->number ? "" : " time",
                  fabs (comparison_percent (x.ratio < 1 ? x.high : x.low)),
                  fabs (comparison_percent (x.ratio < 1 ? x.low : x.high)),
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
    measure_show_show_row (stream, m, q);
  measure_show_show_text (stream, m);
  measure_show_show_verdict (stream, m);
  show_surprise (stream, m);
  if (!m->counted)
    terminal_say (stream, HANG, "Misses of the TLB are not counted: %s.",
                  m->not_counted.text);
}

void
comparison_set_json (struct json_object *object,
                     const struct comparison *comparison)
{
  json_object_object_add (object, "ratio", json_precise (comparison->ratio));
  json_object_object_add (object, "ratio_low", json_precise (comparison->low));
  json_object_object_add (object, "ratio_high",
                          json_precise (comparison->high));
}

/* Return QUANTITY of variant C, or NULL if it is not known.  */
static struct json_object *
summary_json (const struct measurement *m, size_t c, enum quantity quantity)
{
  const double *values = m->variants[c].values[quantity];
  struct comparison x;
  if (isnan (median (m, c, quantity)))
    return NULL;
  struct json_object *json = json_object_new_object ();
  struct json_object *list = json_object_new_array ();
  json_object_object_add (json, "median",
                          json_precise (median (m, c, quantity)));
  json_object_object_add (
      json, "low_quartile",
      json_precise (compare_quantile (values, m->rounds, 0.25)));
  json_object_object_add (
      json, "high_quartile",
      json_precise (compare_quantile (values, m->rounds, 0.75)));
  if (c > 0 && measure_show_compare_variants (m, quantity, &x))
    comparison_set_json (json, &x);
  for (size_t round = 0; round < m->rounds; ++round)
    json_object_array_add (list, json_precise (values[round]));
  json_object_object_add (json, "runs", list);
  return json;
}

static struct json_object *
variant_json (const struct measurement *m, size_t c)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *sums = json_object_new_object ();
  const struct family *family = &m->variants[c].family;
  struct comparison x;
  json_set_string (json, "name", m->variants[c].name);
  for (enum quantity q = 0; q < QUANTITIES; ++q)
    {
      struct json_object *summary = summary_json (m, c, q);
      if (summary != NULL)
        json_object_object_add (sums, rows[q].key, summary);
    }
  json_object_object_add (json, "summary", sums);
  json_object_object_add (
      json, "huge_text_percent",
      json_percent (
          family->processes == 0
              ? -1
              : column_share (family->sums.huge, family->sums.small)));
  json_object_object_add (json, "backing",
                          json_backings (family->sums.backing));
  json_set_string (json, "verdict",
                   verdict_words[c > 0 ? verdict (m, &x) : VERDICT_NONE]);
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
                   m->counted ? NULL : m->not_counted.text);
  json_print (stream, json);
}
