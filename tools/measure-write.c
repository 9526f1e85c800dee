/* Print what "hugetext measure" has found, for programs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "json.h"
#include "measure-show.h"

#include <math.h>
#include <stdlib.h>

/* Of the JSON: keys may be added to a version, but none goes, and none
   changes what it means.  */
#define VERSION 1

/* A number with as many digits as tell it apart; JSON has none for NAN.  */
static void
set_double (struct json_object *object, const char *key, double value)
{
  char digits[32];
  snprintf (digits, sizeof digits, "%.9g", value);
  json_object_object_add (
      object, key,
      isnan (value) ? NULL : json_object_new_double_s (value, digits));
}

/* NAME as a field of CSV (RFC 4180): one setting may have commas.  */
static void
print_field (FILE *stream, const char *name)
{
  fputc ('"', stream);
  for (; *name != '\0'; name++)
    {
      if (*name == '"')
        fputc ('"', stream);
      fputc (*name, stream);
    }
  fputc ('"', stream);
}

void
measure_csv (FILE *stream, const struct measurement *m)
{
  fputs ("setting,quantity,rounds,median,low,high,ratio,ratio_low,"
         "ratio_high\n",
         stream);
  for (size_t c = 0; c < m->count; c++)
    for (enum quantity q = 0; q < QUANTITIES; q++)
      {
        struct summary s = measurement_summary (m, c, q);
        if (s.count == 0)
          continue;
        print_field (stream, m->contenders[c].name);
        fprintf (stream, ",%s,%zu,%.6g,%.6g,%.6g,", quantity_rows[q].key,
                 s.count, s.median, s.low, s.high);
        if (s.compared)
          fprintf (stream, "%.4f,%.4f,%.4f\n", s.comparison.ratio,
                   s.comparison.low, s.comparison.high);
        else
          fputs (",,\n", stream);
      }
}

struct json_object *
measure_json_one (const struct measurement *m, size_t c)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *sums = json_object_new_object ();
  struct json_object *runs = json_object_new_array ();
  json_set_string (json, "name", m->contenders[c].name);
  for (enum quantity q = 0; q < QUANTITIES; q++)
    {
      struct summary s = measurement_summary (m, c, q);
      if (s.count == 0)
        continue;
      struct json_object *sum = json_object_new_object ();
      json_set_number (sum, "rounds", s.count);
      set_double (sum, "median", s.median);
      set_double (sum, "low_quartile", s.low);
      set_double (sum, "high_quartile", s.high);
      if (s.compared)
        {
          set_double (sum, "ratio", s.comparison.ratio);
          set_double (sum, "ratio_low", s.comparison.low);
          set_double (sum, "ratio_high", s.comparison.high);
        }
      json_object_object_add (sums, quantity_rows[q].key, sum);
    }
  for (size_t round = 0; round < m->rounds; round++)
    {
      struct json_object *run = json_object_new_object ();
      for (enum quantity q = 0; q < QUANTITIES; q++)
        {
          double value = m->runs[c * m->rounds + round].value[q];
          if (!isnan (value))
            set_double (run, quantity_rows[q].key, value);
        }
      json_object_array_add (runs, run);
    }
  json_object_object_add (json, "summary", sums);
  json_object_object_add (json, "runs", runs);
  json_set_number (json, "pss_bytes", m->families[c].part);
  json_object_object_add (json, "backing",
                          json_backings (m->families[c].sums.backing));
  return json;
}

/* What is to be said of contender C against the first.  */
static const char *
verdict (const struct measurement *m, size_t c)
{
  struct summary s = measurement_summary (m, c, measurement_subject (m));
  return (c == 0                               ? NULL
          : measurement_has_none (m, c)        ? "no huge text"
          : !s.compared                        ? NULL
          : comparison_is_even (&s.comparison) ? "no difference"
          : s.comparison.ratio < 1             ? "less"
                                               : "more");
}

void
measure_json (FILE *stream, const struct measurement *m)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *command = json_object_new_array ();
  struct json_object *settings = json_object_new_array ();
  for (char **word = m->command; *word != NULL; word++)
    json_object_array_add (command, json_string (*word));
  for (size_t c = 0; c < m->count; c++)
    {
      struct json_object *one = measure_json_one (m, c);
      json_set_string (one, "verdict", verdict (m, c));
      json_object_array_add (settings, one);
    }
  json_set_number (json, "version", VERSION);
  json_object_object_add (json, "command", command);
  json_set_number (json, "rounds", m->rounds);
  json_set_string (json, "compared",
                   quantity_rows[measurement_subject (m)].key);
  json_set_number (json, "sure_percent", COMPARE_SURE);
  json_object_object_add (json, "settings", settings);
  json_set_string (json, "not_counted",
                   m->counters.problem[0] != '\0' ? m->counters.problem
                                                  : NULL);
  json_print (stream, json, false);
}
