/* Records of a service: what was seen of it in slices of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBSERVED_H
#define OBSERVED_H

#include "measure/measure.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* What is counted in a slice; NAN if it is not known.  */
enum observed
{
  OBSERVED_SECONDS,  /* The length of the slice.  */
  OBSERVED_CPU,      /* Seconds of CPU time of the control group.  */
  OBSERVED_REQUESTS, /* Requests that the service has answered.  */
  OBSERVED_MINOR,    /* Page faults without I/O,  */
  OBSERVED_MAJOR,    /* and with it.  */
  OBSERVED_WAIT,     /* Seconds in which some of its threads waited for a
                        CPU.  */
  OBSERVED
};

/* The record of a service.  */
struct observation
{
  char service[NAME_MAX + 1]; /* The unit's name.  */
  int64_t taken;              /* When it was begun, seconds since 1970.  */
  uint64_t huge, small;       /* Bytes of its text on huge and small pages.  */
  size_t count;               /* The number of slices.  */
  double values[OBSERVED][MEASURE_MOST];
};

/* What is compared: quantities of a slice that do not depend on its length. */
enum figure
{
  FIGURE_CPU,      /* CPU seconds per request, or per second.  */
  FIGURE_REQUESTS, /* Requests per second.  */
  FIGURE_MINOR,    /* Minor faults per request, or per second.  */
  FIGURE_MAJOR,    /* Major faults per second.  */
  FIGURE_WAIT,     /* The share of time with a wait for a CPU.  */
  FIGURES
};

/* Write RECORD to STREAM in the form of a file (doc/formats).  */
extern void observed_write (FILE *stream, const struct observation *record);

/* Read TEXT, in that form, to RECORD.  False if it is wrong.  */
extern bool observed_parse (const char *text, struct observation *record);

/* Whether both records have requests in each slice or some of them.  */
extern bool observed_has_requests (const struct observation *base,
                                   const struct observation *with);

/* Return FIGURE of SLICE in RECORD, by REQUESTS if that is true; NAN if it is
   not known.  */
extern double observed_figure (const struct observation *record, size_t slice,
                               enum figure figure, bool requests);

/* Return the median of FIGURE in RECORD, NAN if it is not known.  */
extern double observed_median (const struct observation *record,
                               enum figure figure, bool requests);

/* Estimate the ratio of FIGURE in WITH to that in BASE; slices with the same
   number are PAIRS, or they are not.  Slices without the figure do not count.
   False if too few are left, or one is not positive.  */
extern bool observed_compare (const struct observation *base,
                              const struct observation *with, bool pairs,
                              enum figure figure,
                              struct comparison *comparison);

/* What has come of it.  */
enum observed_verdict
{
  OBSERVED_UNKNOWN, /* There is no ratio.  */
  OBSERVED_NO_HUGE_TEXT,
  OBSERVED_EVEN,
  OBSERVED_LESS,
  OBSERVED_MORE,
};

/* Judge the CPU time of WITH against that of BASE, and set *COMPARISON if
   there is a ratio.  */
extern enum observed_verdict observed_judge (const struct observation *base,
                                             const struct observation *with,
                                             bool pairs,
                                             struct comparison *comparison);

/* Print the comparison of WITH, called NAMES[1], with BASE, called NAMES[0]:
   for people, and as JSON, which is also for a record alone, BASE, if WITH is
   NULL.  */
extern void observed_show (FILE *stream, const struct observation *base,
                           const struct observation *with, bool pairs,
                           const char *const names[]);
extern void observed_json (FILE *stream, const struct observation *base,
                           const struct observation *with, bool pairs,
                           const char *const names[]);

#endif
