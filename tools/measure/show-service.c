/* Show the comparison of two records of a service, as text and as JSON.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/observed.h"
#include "text/columns.h"
#include "text/json.h"
#include "util/terminal.h"
#include "util/count.h"

#include <math.h>
#include <string.h>

/* The indentation of a continued line, in columns.  */
#define HANG 2

/* If the loads of the two records differ by more than this factor, the
   comparison of the CPU time per request is doubtful, because a service also
   uses CPU time that does not grow with the load.  */
#define LOAD_RATIO 1.1

static const struct
{
  const char *key; /* In JSON, KEY is the name of the figure per second, and
                      KEY_BY_REQUEST the name of the figure per request.  */
  const char *key_by_request;
  const char *words; /* In text output, WORDS is the name of the figure per
                        second, and WORDS_BY_REQUEST the name of the figure per
                        request.  */
  const char *words_by_request;
  double scale; /* The factor by which a value is multiplied to get the
                   printed unit.  */
  double scale_by_request;
} rows[FIGURES] = {
  [FIGURE_CPU] = { "cpu_seconds_per_second", "cpu_seconds_per_request",
                   "CPUs in use", "CPU time/request, us", 1, 1e6 },
  [FIGURE_REQUESTS] = { "requests_per_second", "requests_per_second",
                        "requests/s", "requests/s", 1, 1 },
  [FIGURE_MINOR] = { "minor_faults_per_second", "minor_faults_per_request",
                     "minor page faults/s", "minor faults/request", 1, 1 },
  [FIGURE_MAJOR] = { "major_faults_per_second", "major_faults_per_second",
                     "major page faults/s", "major page faults/s", 1, 1 },
  [FIGURE_WAIT] = { "cpu_wait_share", "cpu_wait_share", "waits for a CPU, %",
                    "waits for a CPU, %", 100, 100 },
};

static const char *const verdict_words[] = {
  [OBSERVED_UNKNOWN] = NULL,         [OBSERVED_NO_HUGE_TEXT] = "no huge text",
  [OBSERVED_EVEN] = "no difference", [OBSERVED_LESS] = "less",
  [OBSERVED_MORE] = "more",
};

static const char *const value_keys[OBSERVED] = {
  [OBSERVED_SECONDS] = "seconds",    [OBSERVED_CPU] = "cpu_seconds",
  [OBSERVED_REQUESTS] = "requests",  [OBSERVED_MINOR] = "minor_faults",
  [OBSERVED_MAJOR] = "major_faults", [OBSERVED_WAIT] = "cpu_wait_seconds",
};

/* Print VALUE in COLUMNS columns with all significant digits.  */
static void
show_value (FILE *stream, double value)
{
  const double size = fabs (value);
  fprintf (stream, " %10.*f",
           size >= 1000  ? 0
           : size >= 100 ? 1
           : size >= 10  ? 2
                         : 3,
           value);
}

static void
show_service_show_row (FILE *stream, const struct observation *base,
                       const struct observation *with, bool pairs,
                       enum figure figure)
{
  struct comparison x;
  const bool requests = observed_has_requests (base, with);
  const double scale
      = requests ? rows[figure].scale_by_request : rows[figure].scale;
  const double first = observed_median (base, figure, requests);
  const double second
      = with != NULL ? observed_median (with, figure, requests) : NAN;
  if (isnan (first) || (with != NULL && isnan (second)))
    return;
  fprintf (stream, "%-20s",
           requests ? rows[figure].words_by_request : rows[figure].words);
  show_value (stream, first * scale);
  if (with != NULL)
    show_value (stream, second * scale);
  if (with != NULL && observed_compare (base, with, pairs, figure, &x))
    {
      if (comparison_is_even (&x))
        fputs (" not sure", stream);
      else
        fprintf (stream, " %+6.1f %%", comparison_percent (x.ratio));
      if (isfinite (x.high))
        fprintf (stream, " (%+.1f to %+.1f)", comparison_percent (x.low),
                 comparison_percent (x.high));
    }
  fputc ('\n', stream);
}

static void
show_service_show_text (FILE *stream, const struct observation *base,
                        const struct observation *with)
{
  char share[16];
  fprintf (stream, "%-20s %10s", "text on huge pages",
           column_share_text (column_share (base->huge, base->small), share));
  if (with != NULL)
    fprintf (
        stream, " %10s",
        column_share_text (column_share (with->huge, with->small), share));
  fputs (" (seen once)\n", stream);
}

/* Print all facts that make the comparison doubtful.  */
static void
show_doubts (FILE *stream, const struct observation *base,
             const struct observation *with, bool pairs)
{
  struct comparison load;
  const bool requests = observed_has_requests (base, with);
  if (!requests)
    terminal_say (stream, HANG,
                  "Without --requests, the command does not know the number "
                  "of requests, so the comparison is valid only if the load "
                  "was the same in %s.",
                  pairs ? "all slices" : "both records");
  else if (observed_compare (base, with, pairs, FIGURE_REQUESTS, &load)
           && fmax (load.ratio, 1 / load.ratio) > LOAD_RATIO)
    terminal_say (stream, HANG,
                  "%s the load of the service changed by %+.0f %% (requests a "
                  "second). The CPU time per request depends on the load, so "
                  "the comparison may be wrong.",
                  pairs ? "With text on huge pages"
                        : "Between the two records",
                  comparison_percent (load.ratio));
  if (!pairs)
    terminal_say (
        stream, HANG,
        "The two records were made at different times, so the "
        "difference may come from other changes of the machine or "
        "its load. To exclude changes of the machine and its load, use "
        "--attach, which measures with and without huge text in turn.");
}

/* COMPARISON compares the CPU times of BASE and WITH.  If the CPU times vary
   too much to show a small difference, set WORDS, a buffer of SIZE bytes, to a
   sentence that says how to find a small difference; if not, set WORDS to "".
   PAIRS is true if the slices of BASE and WITH alternate.  If PAIRS is true,
   --within continues until the result is good enough, but not beyond
   MEASURE_MOST slices.  */
static void
show_service_describe_more (const struct observation *base,
                            const struct observation *with, bool pairs,
                            const struct comparison *comparison, char *words,
                            size_t size)
{
  const double percent = 2, width = 1 + percent / 100;
  const double count = 2 / (1.0 / base->count + 1.0 / with->count);
  const size_t rounds = compare_rounds (comparison, count, COMPARE_WIDE);
  char option[64] = "";
  if (pairs && compare_rounds (comparison, count, width * width) > 0)
    snprintf (option, sizeof option, "--within=%.0f, or ", percent);
  else if (rounds > 0)
    snprintf (option, sizeof option, "--rounds=%zu%s, or ", rounds,
              pairs ? "" : " for both records");
  words[0] = '\0';
  if (comparison->high / comparison->low > COMPARE_WIDE)
    snprintf (
        words, size,
        " The CPU time varies too much to find a smaller difference: use "
        "%sa quieter machine.",
        option);
}

/* Print why BASE and WITH cannot be compared, and a remedy.  */
static void
show_unknown (FILE *stream, const struct observation *base,
              const struct observation *with, const char *const names[])
{
  enum
  {
    LONGER = 4, /* The remedy suggests slices that are longer by this
                   factor.  */
  };
  const bool requests = observed_has_requests (base, with);
  const double longer
      = LONGER
        * compare_quantile (with->values[OBSERVED_SECONDS], with->count, 0.5);
  terminal_say (
      stream, HANG,
      "No comparison is possible: the service used CPU time%s in %zu "
      "of " COUNT_FORMAT " (%s) and in %zu of " COUNT_FORMAT " (%s), but each "
      "side needs at least " COUNT_FORMAT ". Use longer slices, for "
      "example --seconds=%.*f, or measure under more load.",
      requests ? " and answered requests" : "",
      observed_usable (base, requests), COUNT (base->count, "slice"), names[0],
      observed_usable (with, requests), COUNT (with->count, "slice"), names[1],
      COUNT (MEASURE_LEAST, "such slice"), longer < 10 ? 1 : 0, longer);
}

/* Print a sentence with the result of the comparison.  */
static void
show_service_show_verdict (FILE *stream, const struct observation *base,
                           const struct observation *with, bool pairs,
                           const char *const names[])
{
  struct comparison x;
  const enum observed_verdict found = observed_judge (base, with, pairs, &x);
  const char *by = observed_has_requests (base, with) ? " per request" : "";
  if (found == OBSERVED_NO_HUGE_TEXT)
    terminal_say (stream, HANG,
                  "%s: no text was on huge pages, so the comparison says "
                  "nothing about huge pages. To see why: hugetext status "
                  "--service=%s, then hugetext explain PID",
                  names[1], with->service);
  else if (found == OBSERVED_UNKNOWN)
    show_unknown (stream, base, with, names);
  else if (found == OBSERVED_EVEN && !isfinite (x.high))
    terminal_say (
        stream, HANG,
        "No conclusion is possible, because there are too few slices, "
        "or the slices differ too much. Use --rounds=%d for both "
        "records.",
        MEASURE_MOST);
  else if (found == OBSERVED_EVEN)
    {
      char more[192];
      show_service_describe_more (base, with, pairs, &x, more, sizeof more);
      terminal_say (stream, HANG,
                    "No difference found: the change in CPU time%s from %s to "
                    "%s is between %+.1f and %+.1f %%, with %d %% "
                    "confidence.%s",
                    by, names[0], names[1], comparison_percent (x.low),
                    comparison_percent (x.high), MEASURE_SURE, more);
    }
  else
    terminal_say (stream, HANG,
                  "%s takes %s CPU time%s than %s: %.1f %% %s, between %.1f"
                  " and %.1f, with %d %% confidence.",
                  names[1], verdict_words[found], by, names[0],
                  fabs (comparison_percent (x.ratio)), verdict_words[found],
                  fabs (comparison_percent (x.ratio < 1 ? x.high : x.low)),
                  fabs (comparison_percent (x.ratio < 1 ? x.low : x.high)),
                  MEASURE_SURE);
  if (found >= OBSERVED_EVEN)
    show_doubts (stream, base, with, pairs);
}

void
observed_show (FILE *stream, const struct observation *base,
               const struct observation *with, bool pairs,
               const char *const names[])
{
  char heading[32];
  snprintf (heading, sizeof heading, "median of %zu", base->count);
  fprintf (stream, "%s\n%-20s %10s", base->service, heading,
           with != NULL ? names[0] : "now");
  if (with != NULL)
    fprintf (stream, " %10s change (%d %% sure)", names[1], MEASURE_SURE);
  fputc ('\n', stream);
  for (enum figure f = 0; f < FIGURES; ++f)
    show_service_show_row (stream, base, with, pairs, f);
  show_service_show_text (stream, base, with);
  if (with != NULL)
    show_service_show_verdict (stream, base, with, pairs, names);
  else
    terminal_say (
        stream, HANG,
        "The record is saved. To compare a later record with it: hugetext "
        "measure --service=%s",
        base->service);
}

static struct json_object *
record_json (const struct observation *record, const char *name, bool requests)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *slices = json_object_new_array ();
  struct json_object *medians = json_object_new_object ();
  json_set_string (json, "name", name);
  json_set_number (json, "taken", record->taken);
  json_set_number (json, "huge_bytes", record->huge);
  json_set_number (json, "small_bytes", record->small);
  for (enum figure f = 0; f < FIGURES; ++f)
    json_object_object_add (
        medians, requests ? rows[f].key_by_request : rows[f].key,
        json_precise (observed_median (record, f, requests)));
  for (size_t i = 0; i < record->count; ++i)
    {
      struct json_object *slice = json_object_new_object ();
      for (enum observed o = 0; o < OBSERVED; ++o)
        json_object_object_add (slice, value_keys[o],
                                json_precise (record->values[o][i]));
      json_object_array_add (slices, slice);
    }
  json_object_object_add (json, "medians", medians);
  json_object_object_add (json, "slices", slices);
  return json;
}

/* Return the ratio, between the two records, of each figure for which the
   ratio is known.  */
static struct json_object *
ratios_json (const struct observation *base, const struct observation *with,
             bool pairs, bool requests)
{
  struct json_object *json = json_object_new_object ();
  struct comparison x;
  for (enum figure f = 0; f < FIGURES; ++f)
    if (observed_compare (base, with, pairs, f, &x))
      {
        struct json_object *ratio = json_object_new_object ();
        comparison_set_json (ratio, &x);
        json_object_object_add (
            json, requests ? rows[f].key_by_request : rows[f].key, ratio);
      }
  return json;
}

void
observed_json (FILE *stream, const struct observation *base,
               const struct observation *with, bool pairs,
               const char *const names[])
{
  struct json_object *json = json_begin ();
  struct json_object *records = json_object_new_array ();
  struct comparison x;
  const bool requests = observed_has_requests (base, with);
  json_set_string (json, "service", base->service);
  json_set_string (json, "way",
                   with == NULL ? "save"
                   : pairs      ? "attach"
                                : "saved");
  json_set_number (json, "sure_percent", MEASURE_SURE);
  json_object_array_add (records, record_json (base, names[0], requests));
  if (with != NULL)
    json_object_array_add (records, record_json (with, names[1], requests));
  json_object_object_add (json, "records", records);
  json_object_object_add (
      json, "ratios",
      with != NULL ? ratios_json (base, with, pairs, requests) : NULL);
  json_set_string (json, "compared",
                   requests ? rows[FIGURE_CPU].key_by_request
                            : rows[FIGURE_CPU].key);
  json_set_string (json, "verdict",
                   with != NULL
                       ? verdict_words[observed_judge (base, with, pairs, &x)]
                       : NULL);
  json_print (stream, json);
}
