/* Records of services: the counters of a service, by slices of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBSERVED_H
#define OBSERVED_H

#include "measure/measure.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* The quantities of a slice; NAN if unknown.  */
enum observed
{
  OBSERVED_SECONDS,  /* The length of the slice.  */
  OBSERVED_CPU,      /* Seconds of CPU time of the control group.  */
  OBSERVED_REQUESTS, /* Requests that the service has answered.  */
  OBSERVED_MINOR,    /* Page faults without I/O.  */
  OBSERVED_MAJOR,    /* Page faults with I/O.  */
  OBSERVED_WAIT,     /* Seconds in which at least one thread of the service
                        waited for a CPU.  */
  OBSERVED
};

/* The record of a service.  */
struct observation
{
  char service[NAME_MAX + 1]; /* The unit's name.  */
  int64_t taken;              /* The time of the record's beginning, in seconds
                                 since 1970.  */
  uint64_t huge, small;       /* The bytes of the service's text on huge and
                                 small pages.  */
  size_t count;               /* The number of slices.  */
  double values[OBSERVED][MEASURE_MOST];
};

/* The figures that are compared: quantities that do not depend on the length
   of a slice.  */
enum figure
{
  FIGURE_CPU,      /* CPU seconds per request, or per second.  */
  FIGURE_REQUESTS, /* Requests per second.  */
  FIGURE_MINOR,    /* Minor faults per request, or per second.  */
  FIGURE_MAJOR,    /* Major faults per second.  */
  FIGURE_WAIT,     /* The share of time in which at least one thread waited
                       for a CPU.  */
  FIGURES
};

/* Write RECORD to STREAM in the file format (doc/formats).  */
extern void observed_write (FILE *stream, const struct observation *record);

/* Parse TEXT, in the format of observed_write, into RECORD.  Return false if
   TEXT is invalid.  */
extern bool observed_parse (const char *text, struct observation *record);

/* Whether both records have answered requests; WITH may be NULL.  */
extern bool observed_has_requests (const struct observation *base,
                                   const struct observation *with);

/* Return FIGURE of SLICE in RECORD, per request if REQUESTS; NAN if
   unknown.  */
extern double observed_figure (const struct observation *record, size_t slice,
                               enum figure figure, bool requests);

/* Return the median of FIGURE in RECORD, NAN if unknown.  */
extern double observed_median (const struct observation *record,
                               enum figure figure, bool requests);

/* Estimate the ratio of FIGURE in WITH to that in BASE.  PAIRS: slices with
   the same number are pairs.  Ignore slices without the figure.  Return false
   if too few values remain, or if a value is not positive.  */
extern bool observed_compare (const struct observation *base,
                              const struct observation *with, bool pairs,
                              enum figure figure,
                              struct comparison *comparison);

/* Whether the interval of the CPU time in WITH against that in BASE, as of
   observed_compare, reaches at most PERCENT from its middle.  */
extern bool observed_is_within (const struct observation *base,
                                const struct observation *with, bool pairs,
                                double percent);

/* The result of a comparison.  */
enum observed_verdict
{
  OBSERVED_UNKNOWN, /* The ratio is unknown.  */
  OBSERVED_NO_HUGE_TEXT,
  OBSERVED_EVEN,
  OBSERVED_LESS,
  OBSERVED_MORE,
};

/* Judge the CPU time of WITH against that of BASE, and set *COMPARISON if the
   ratio is known.  */
extern enum observed_verdict observed_judge (const struct observation *base,
                                             const struct observation *with,
                                             bool pairs,
                                             struct comparison *comparison);

/* Print the comparison of WITH, called NAMES[1], with BASE, called NAMES[0],
   as text and as JSON.  If WITH is NULL, print the JSON of BASE alone.  */
extern void observed_show (FILE *stream, const struct observation *base,
                           const struct observation *with, bool pairs,
                           const char *const names[]);
extern void observed_json (FILE *stream, const struct observation *base,
                           const struct observation *with, bool pairs,
                           const char *const names[]);

#endif
