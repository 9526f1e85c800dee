/* Records of a service: functions that read and write their files, and compare
   two records.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/observed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEADING "hugetext-measure 1\n"

void
observed_write (FILE *stream, const struct observation *record)
{
  fputs (HEADING, stream);
  fprintf (stream, "service %s\n", record->service);
  fprintf (stream, "taken %" PRId64 "\n", record->taken);
  fprintf (stream, "text %" PRIu64 " %" PRIu64 "\n", record->huge,
           record->small);
  for (size_t i = 0; i < record->count; ++i)
    {
      fputs ("slice", stream);
      for (enum observed o = 0; o < OBSERVED; ++o)
        if (isnan (record->values[o][i]))
          fputs (" -", stream);
        else
          fprintf (stream, " %.9g", record->values[o][i]);
      fputc ('\n', stream);
    }
}

/* Parse LINE, a line of a saved record without its first word "slice", and add
   the slice to RECORD.  */
static bool
parse_slice (char *line, struct observation *record)
{
  char *rest;
  if (record->count == MEASURE_MOST)
    return false;
  for (enum observed o = 0; o < OBSERVED; ++o)
    {
      char *word = strtok_r (o == 0 ? line : NULL, " ", &rest), *end;
      if (word == NULL)
        return false;
      const bool none = strcmp (word, "-") == 0;
      const double value = none ? NAN : strtod (word, &end);
      if (!none && (*end != '\0' || !isfinite (value) || value < 0))
        return false;
      record->values[o][record->count] = value;
    }
  const double seconds = record->values[OBSERVED_SECONDS][record->count++];
  return seconds > 0 && strtok_r (NULL, " ", &rest) == NULL;
}

/* Parse LINE into RECORD.  */
static bool
observed_parse_line (char *line, struct observation *record)
{
  char over;
  if (strncmp (line, "slice ", 6) == 0)
    return parse_slice (line + 6, record);
  if (strncmp (line, "service ", 8) == 0
      && strlen (line + 8) < sizeof record->service)
    {
      strcpy (record->service, line + 8);
      return true;
    }
  return (sscanf (line, "taken %" SCNd64 "%c", &record->taken, &over) == 1
          || sscanf (line, "text %" SCNu64 " %" SCNu64 "%c", &record->huge,
                     &record->small, &over)
                 == 2);
}

bool
observed_parse (const char *text, struct observation *record)
{
  *record = (struct observation){ .count = 0 };
  if (strncmp (text, HEADING, strlen (HEADING)) != 0)
    return false;
  char *copy = strdup (text + strlen (HEADING)), *rest;
  bool good = copy != NULL;
  for (char *line = good ? strtok_r (copy, "\n", &rest) : NULL;
       good && line != NULL; line = strtok_r (NULL, "\n", &rest))
    good = observed_parse_line (line, record);
  free (copy);
  return good && record->service[0] != '\0';
}

static bool
has_requests (const struct observation *record)
{
  double sum = 0;
  for (size_t i = 0; i < record->count; ++i)
    sum += record->values[OBSERVED_REQUESTS][i];
  return sum > 0;
}

bool
observed_has_requests (const struct observation *base,
                       const struct observation *with)
{
  return has_requests (base) && (with == NULL || has_requests (with));
}

double
observed_figure (const struct observation *record, size_t slice,
                 enum figure figure, bool requests)
{
  static const enum observed values[FIGURES]
      = { [FIGURE_CPU] = OBSERVED_CPU,
          [FIGURE_REQUESTS] = OBSERVED_REQUESTS,
          [FIGURE_MINOR] = OBSERVED_MINOR,
          [FIGURE_MAJOR] = OBSERVED_MAJOR,
          [FIGURE_WAIT] = OBSERVED_WAIT };
  const bool by_request
      = requests && (figure == FIGURE_CPU || figure == FIGURE_MINOR);
  const double per
      = record
            ->values[by_request ? OBSERVED_REQUESTS : OBSERVED_SECONDS][slice];
  return per > 0 ? record->values[values[figure]][slice] / per : NAN;
}

double
observed_median (const struct observation *record, enum figure figure,
                 bool requests)
{
  double values[MEASURE_MOST];
  for (size_t i = 0; i < record->count; ++i)
    values[i] = observed_figure (record, i, figure, requests);
  return compare_quantile (values, record->count, 0.5);
}

size_t
observed_usable (const struct observation *record, bool requests)
{
  size_t n = 0;
  for (size_t i = 0; i < record->count; ++i)
    n += observed_figure (record, i, FIGURE_CPU, requests) > 0;
  return n;
}

/* Set VALUES to the values of FIGURE in RECORD's slices.  Skip slices of time
   in which FIGURE was not recorded.  If OTHER is not NULL, also skip a slice
   of RECORD if FIGURE is unknown in the slice of OTHER with the same number.
   Return the number of values.  */
static size_t
known_values (const struct observation *record,
              const struct observation *other, enum figure figure,
              bool requests, double values[])
{
  size_t n = 0;
  for (size_t i = 0; i < record->count; ++i)
    {
      const double value = observed_figure (record, i, figure, requests);
      if (!isnan (value)
          && (other == NULL
              || (i < other->count
                  && !isnan (observed_figure (other, i, figure, requests)))))
        values[n++] = value;
    }
  return n;
}

bool
observed_compare (const struct observation *base,
                  const struct observation *with, bool pairs,
                  enum figure figure, struct comparison *comparison)
{
  double values[2][MEASURE_MOST];
  const bool requests = observed_has_requests (base, with);
  const size_t count
      = known_values (base, pairs ? with : NULL, figure, requests, values[0]);
  const size_t other
      = known_values (with, pairs ? base : NULL, figure, requests, values[1]);
  if (count < MEASURE_LEAST || other < MEASURE_LEAST)
    return false;
  return (
      pairs ? compare_pairs (values[0], values[1], count, comparison)
            : compare_groups (values[0], count, values[1], other, comparison));
}

bool
observed_is_within (const struct observation *base,
                    const struct observation *with, bool pairs, double percent)
{
  struct comparison x;
  return (observed_compare (base, with, pairs, FIGURE_CPU, &x)
          && isfinite (x.high) && sqrt (x.high / x.low) <= 1 + percent / 100);
}

enum observed_verdict
observed_judge (const struct observation *base, const struct observation *with,
                bool pairs, struct comparison *comparison)
{
  const bool known
      = observed_compare (base, with, pairs, FIGURE_CPU, comparison);
  return (with->huge == 0                   ? OBSERVED_NO_HUGE_TEXT
          : !known                          ? OBSERVED_UNKNOWN
          : comparison_is_even (comparison) ? OBSERVED_EVEN
          : comparison->ratio < 1           ? OBSERVED_LESS
                                            : OBSERVED_MORE);
}
