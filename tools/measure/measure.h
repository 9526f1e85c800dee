/* The measurement: times a command with two settings, and compares them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEASURE_H
#define MEASURE_H

#include "run/family.h"
#include "run/launch.h"

#include <stdbool.h>
#include <stddef.h>

enum
{
  /* The confidence, in per cent: one of a hundred comparisons of equal
     settings finds a difference.  */
  MEASURE_SURE = 99,
  /* The minimum number of rounds for a confidence of 99 %: in 2 of 2^7 cases
     all of 7 pairs of equal settings agree about which is larger.  */
  MEASURE_LEAST = 8,
  MEASURE_MOST = 200,
};

/* The estimate of a ratio.  */
struct comparison
{
  double ratio;     /* The estimate.  */
  double low, high; /* The confidence interval of the ratio.  */
};

/* Whether the two settings are equal, as far as the measurements tell.  */
static inline bool
comparison_is_even (const struct comparison *comparison)
{
  return comparison->low <= 1 && comparison->high >= 1;
}

/* Estimate the ratio of WITH to BASE from COUNT pairs, MEASURE_LEAST to
   MEASURE_MOST; the two values of a pair are from the same round.  Return
   false if a value is not positive.  */
extern bool compare_pairs (const double base[], const double with[],
                           size_t count, struct comparison *comparison);

/* Estimate the ratio of WITH to BASE, two unpaired series of values in the
   order of time, MEASURE_LEAST to MEASURE_MOST each.  Return false if there
   are fewer, or if a value is not positive.  An unbounded interval (0,
   INFINITY) means that the series are too short.  */
extern bool compare_groups (const double base[], size_t base_count,
                            const double with[], size_t with_count,
                            struct comparison *comparison);

/* Return the quantile Q, 0 to 1, of those of the COUNT VALUES that are not
   NAN; NAN if there are none.  */
extern double compare_quantile (const double values[], size_t count, double q);

/* Return which of two variants, 0 or 1, comes first in ROUND: in an even round
   the one given by CHANCE, in an odd round the one that was second in the
   round before, in which BEFORE was first.  So the order is ABBA or BAAB: an
   even drift over two rounds cancels out, and an event hits both variants with
   the same probability.  */
extern size_t compare_first (size_t round, size_t before, bool chance);

enum quantity
{
  QUANTITY_NUMBER, /* The number that the command printed.  */
  QUANTITY_TIME,
  QUANTITY_CPU,
  QUANTITY_FAULTS,
  QUANTITY_RSS,
  QUANTITY_CYCLES,
  QUANTITY_ITLB,
  QUANTITIES,
};

/* A variant, one side of a comparison: a command under the stock loader, or
   under ld-hugetext.so with settings.  */
struct variant
{
  const char *name; /* The name as the user gave it.  */
  bool stock;
  bool apart; /* The stock loader runs in a mount namespace, bound over itself,
                 for a fair comparison: ld-hugetext.so runs in one, and the end
                 of a namespace takes 0.06 ms.  */
  struct settings settings;
  char *tunables; /* The value of GLIBC_TUNABLES; NULL for this process's.  */
  struct launch launch;
  struct family family; /* The text at the last inspection before the
                           rounds.  */
  double values[QUANTITIES][MEASURE_MOST]; /* The values by quantity and round;
                                              NAN if unknown.  */
};

/* Fill in VARIANT from WORDS: "stock", or any of "on", "off", "code", a
   backing, "max=N", "pad=BYTES" and "names=N", with commas.  */
extern bool variant_parse (struct variant *variant, const char *words,
                           struct problem *problem);

struct measurement
{
  char **command;
  size_t rounds;
  bool number;                /* The command prints the number that is
                                 compared.  */
  bool counted;               /* The processor's counters are available.  */
  struct problem not_counted; /* The reason why counters are not available.  */
  struct variant variants[2]; /* The base, and the variant that is compared
                                 with it.  */
};

/* Measure M, whose command, rounds, number and variants are set, under LAUNCH.
   Return an exit status; errors have been reported.  */
extern int measure (struct measurement *m, const struct launch *launch);

/* Run variant C of M once and set VALUES.  If VALUES is NULL, inspect the
   command's text repeatedly, and show its errors.  Return an exit status, or
   0 if everything worked; errors have been reported.  */
extern int measure_run (struct measurement *m, size_t c, double values[]);

/* The measurement of a running service.  */
struct service_measurement
{
  const char *service;  /* The service's name as the user gave it.  */
  const char *requests; /* A shell command that prints how many requests the
                           service has answered, or NULL.  */
  size_t rounds;  /* The number of rounds or slices, the least number if WITHIN
                     is not 0.  */
  double within;  /* The record goes on until the interval reaches at most
                     WITHIN per cent from its middle; 0 for no such aim.  */
  double seconds; /* The length of a slice, in seconds.  */
  bool save;      /* Keep the record for later comparisons.  */
  bool attach;    /* Compare slices with and without huge text, by attach.  */
  bool json;
};

/* Record the service of M.  Save the record, or compare it with the saved one;
   or compare slices with and without huge text, in turn.  Print the result.
   Return an exit status; errors have been reported.  */
extern int measure_service (const struct service_measurement *m);

/* Whether the processor's counters are available.  If not, set PROBLEM.  */
extern bool measure_counters (struct problem *problem);

/* Print M: as a table and a sentence with the result, and as JSON with each
   run.  */
extern void measure_show (FILE *stream, const struct measurement *m);
extern void measure_json (FILE *stream, const struct measurement *m);

#endif
