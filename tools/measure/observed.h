/* Records of services.  A record contains the kernel's counts for a service in
   each of several slices of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBSERVED_H
#define OBSERVED_H

#include "measure/measure.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* The quantities that are recorded for each slice; NAN means unknown.  */
enum observed
{
  OBSERVED_SECONDS,  /* The length of the slice in seconds.  */
  OBSERVED_CPU,      /* The CPU time of the control group in seconds.  */
  OBSERVED_REQUESTS, /* The number of requests that the service has
                        answered.  */
  OBSERVED_MINOR,    /* The number of page faults without I/O.  */
  OBSERVED_MAJOR,    /* The number of page faults with I/O.  */
  OBSERVED_WAIT,     /* The number of seconds in which at least one thread of
                        the service waited for a CPU.  */
  OBSERVED
};

/* The record of a service.  */
struct observation
{
  char service[NAME_MAX + 1]; /* The unit's name.  */
  int64_t taken;              /* The time at which the record begins, in
                                 seconds since 1970.  */
  uint64_t huge, small;       /* The numbers of bytes of the service's text on
                                 huge pages, and on small pages.  */
  size_t count;               /* The number of slices (periods of time) in the
                                 record.  */
  double values[OBSERVED][MEASURE_MOST];
};

/* The figures that are compared.  The figures are rates or shares, so they do
   not depend on the length of a slice.  */
enum figure
{
  FIGURE_CPU,      /* CPU seconds per request, or per second if requests are
                      not counted.  */
  FIGURE_REQUESTS, /* Requests per second.  */
  FIGURE_MINOR,    /* Minor page faults per request, or per second if requests
                      are not counted.  */
  FIGURE_MAJOR,    /* Major page faults per second.  */
  FIGURE_WAIT,     /* The share of time in which at least one thread waited
                      for a CPU.  */
  FIGURES
};

/* Write RECORD to STREAM in the file format (doc/formats).  */
extern void observed_write (FILE *stream, const struct observation *record);

/* Parse TEXT, in the format of observed_write, into RECORD.  Return false if
   TEXT is invalid.  */
extern bool observed_parse (const char *text, struct observation *record);

/* Return true if both records count answered requests.  WITH may be NULL.  */
extern bool observed_has_requests (const struct observation *base,
                                   const struct observation *with);

/* Return FIGURE of SLICE in RECORD, or NAN if it is unknown.  If REQUESTS is
   true, return FIGURE per request.  */
extern double observed_figure (const struct observation *record, size_t slice,
                               enum figure figure, bool requests);

/* Return the median of FIGURE in RECORD, or NAN if it is unknown.  */
extern double observed_median (const struct observation *record,
                               enum figure figure, bool requests);

/* Return the number of slices of RECORD in which the service used CPU time.
   If REQUESTS is true, count only slices in which the service used CPU time
   and answered requests.  */
extern size_t observed_usable (const struct observation *record,
                               bool requests);

/* Estimate the ratio of FIGURE in WITH to FIGURE in BASE.  PAIRS is true if
   slices with the same number are pairs.  The function ignores slices of time
   in which FIGURE was not recorded.  Return false if too few values remain, or
   if a value is not positive.  */
extern bool observed_compare (const struct observation *base,
                              const struct observation *with, bool pairs,
                              enum figure figure,
                              struct comparison *comparison);

/* Return true if the comparison of the CPU time of WITH with that of BASE is
   exact enough: both ends of the confidence interval (observed_compare) must
   differ from its middle by at most PERCENT.  */
extern bool observed_is_within (const struct observation *base,
                                const struct observation *with, bool pairs,
                                double percent);

/* The possible results of a comparison.  */
enum observed_verdict
{
  OBSERVED_UNKNOWN, /* The ratio of the CPU times is unknown.  */
  OBSERVED_NO_HUGE_TEXT,
  OBSERVED_EVEN,
  OBSERVED_LESS,
  OBSERVED_MORE,
};

/* Judge whether the CPU time of WITH differs from that of BASE.  If the ratio
   is known, set *COMPARISON.  */
extern enum observed_verdict observed_judge (const struct observation *base,
                                             const struct observation *with,
                                             bool pairs,
                                             struct comparison *comparison);

/* Print the comparison of the records BASE and WITH as text (observed_show) or
   as JSON (observed_json).  In the output, the records are called NAMES[0] and
   NAMES[1].  If WITH is NULL, observed_json prints only BASE.  */
extern void observed_show (FILE *stream, const struct observation *base,
                           const struct observation *with, bool pairs,
                           const char *const names[]);
extern void observed_json (FILE *stream, const struct observation *base,
                           const struct observation *with, bool pairs,
                           const char *const names[]);

#endif
