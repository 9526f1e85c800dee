/* Measure a command: run it with two settings in turn, and compare the times.
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
  /* The confidence level of a confidence interval, in per cent.  At 99 %, one
     of a hundred comparisons of two equally fast settings reports a
     difference.  */
  MEASURE_SURE = 99,
  /* The minimum number of rounds for a confidence of 99 %.  If the two
     settings are equally fast, the differences in 7 rounds all have the same
     sign with a probability of 2 / 2^7, which is more than 0.01.  */
  MEASURE_LEAST = 8,
  MEASURE_MOST = 200,
};

/* The estimate of a ratio.  */
struct comparison
{
  double ratio;     /* The estimated ratio.  */
  double low, high; /* The confidence interval of the ratio.  */
};

/* Return true if the measurements show no difference between the two compared
   settings.  */
static inline bool
comparison_is_even (const struct comparison *comparison)
{
  return comparison->low <= 1 && comparison->high >= 1;
}

/* Return RATIO as a change in per cent: 1.05 is 5.  */
static inline double
comparison_percent (double ratio)
{
  return 100 * (ratio - 1);
}

struct json_object;

/* Add the ratio of COMPARISON and the ends of its interval to OBJECT.  */
extern void comparison_set_json (struct json_object *object,
                                 const struct comparison *comparison);

/* Estimate the ratio of WITH to BASE from COUNT pairs of values
   (MEASURE_LEAST to MEASURE_MOST).  The two values of a pair come from the
   same round.  Return false if a value is not positive.  */
extern bool compare_pairs (const double base[], const double with[],
                           size_t count, struct comparison *comparison);

/* Estimate the ratio of WITH to BASE from two series whose values are not
   paired.  Each series has MEASURE_LEAST to MEASURE_MOST values in the order
   of time.  Return false if a series has fewer values than MEASURE_LEAST, or
   contains a value that is not positive.  If the series are too short for a
   confidence interval, set the interval to 0 to INFINITY.  */
extern bool compare_groups (const double base[], size_t base_count,
                            const double with[], size_t with_count,
                            struct comparison *comparison);

/* If the ends of a confidence interval differ by more than this factor, the
   result says that the times vary too much.  */
#define COMPARE_WIDE 1.1

/* COMPARISON is the result of COUNT rounds.  Estimate and return the number of
   rounds after which the upper end of the confidence interval is at most WIDE
   times the lower end.  Return 0 if more than MEASURE_MOST rounds would be
   necessary.  */
extern size_t compare_rounds (const struct comparison *comparison,
                              double count, double wide);

/* Return the quantile Q (0 to 1) of the COUNT VALUES.  Ignore values that are
   NAN.  Return NAN if all values are NAN.  */
extern double compare_quantile (const double values[], size_t count, double q);

/* Return the variant, 0 or 1, that runs first in ROUND.  In an even round the
   variant CHANCE (0 or 1) runs first.  In an odd round the order of the
   previous round is reversed; BEFORE is the variant that ran first in the
   previous round.  Two successive rounds therefore run the variants A and B in
   the order ABBA or BAAB.  In the order ABBA or BAAB, a steady drift of the
   speed over two rounds affects both variants equally.  A short disturbance
   affects either variant with the same probability, because the first variant
   is chosen at random.  */
extern size_t compare_first (size_t round, size_t before, bool chance);

/* Return true or false at random.  */
extern bool compare_toss (void);

enum quantity
{
  QUANTITY_NUMBER, /* The first number that the command prints.  */
  QUANTITY_TIME,
  QUANTITY_CPU,
  QUANTITY_FAULTS,
  QUANTITY_RSS,
  QUANTITY_CYCLES,
  QUANTITY_ITLB,
  QUANTITIES,
};

/* A variant is one side of a comparison: the command under the stock loader,
   or under ld-hugetext.so with certain settings.  */
struct variant
{
  const char *name; /* The name of the variant: the words that the user has
                       given.  */
  bool stock;
  bool apart; /* True to run the stock loader in a mount namespace in which it
                 is bind-mounted over itself.  If the variant with
                 ld-hugetext.so needs a mount namespace, the stock loader gets
                 one, too, to make the comparison fair, because removing a
                 mount namespace takes 0.06 ms.  */
  struct settings settings;
  char *tunables; /* The value of GLIBC_TUNABLES for this variant.  If the
                     member is NULL, use the value in the environment of this
                     process.  */
  struct launch launch;
  struct family family; /* The result of the last inspection of the variant's
                           text, in a run before the measured rounds.  */
  double values[QUANTITIES][MEASURE_MOST]; /* The measured values for each
                                              quantity and round, or NAN if
                                              unknown.  */
};

/* Set VARIANT from WORDS.  WORDS is "stock", or a list, separated by commas,
   of "on", "off", "code", the name of a backing, "max=N", "pad=BYTES" and
   "names=N".  */
extern bool variant_parse (struct variant *variant, const char *words,
                           struct problem *problem);

/* Return true if the settings of VARIANT put no text on huge pages.  */
extern bool variant_is_small (const struct variant *variant);

struct measurement
{
  char **command;
  size_t rounds;
  bool number;                /* True to compare a number that the command
                                 prints.  */
  bool counted;               /* True if the counters of the processor are
                                 available.  */
  struct problem not_counted; /* The reason why counters are not available.  */
  struct variant variants[2]; /* The variants to compare; the first variant is
                                 the base.  */
};

/* Carry out the measurement M with LAUNCH.  The caller has set the members
   COMMAND, ROUNDS, NUMBER and VARIANTS of M.  Report errors, and return an
   exit status.  */
extern int measure (struct measurement *m, const struct launch *launch);

/* Run variant C of M once, and set VALUES.  If VALUES is NULL, do not
   measure; instead, inspect the command's text repeatedly, and show what the
   command writes to standard error.  Return 0 if the run was successful.  If
   the run failed, report the errors and return an exit status.  */
extern int measure_run (struct measurement *m, size_t c, double values[]);

/* The measurement of a running service.  */
struct service_measurement
{
  const char *service;  /* The name of the service, as the user has given
                           it.  */
  const char *requests; /* A shell command that prints how many requests the
                           service has answered, or NULL.  */
  size_t rounds;        /* The number of rounds or slices or, if WITHIN is not
                           0, the minimum number.  */
  double within;        /* Continue until both ends of the confidence interval
                           differ from its middle by at most WITHIN per cent.
                           If WITHIN is 0, stop after ROUNDS rounds or
                           slices.  */
  double seconds; /* The duration, in seconds, of a slice, which is one of the
                     periods in which the service is recorded.  */
  bool save;      /* True to save the record for later comparisons.  */
  bool attach;    /* True to compare periods with huge text and periods without
                     it; "hugetext attach" switches huge text on and off
                     between the periods.  */
  bool json;
};

/* Record the service of M.  Depending on the members of M, save the record,
   compare it with a saved record, or compare periods with huge text and
   periods without huge text.  Print the result.  Report errors, and return an
   exit status.  */
extern int measure_service (const struct service_measurement *m);

/* Return true if the processor's counters are available.  If counters are not
   available, set PROBLEM.  */
extern bool measure_counters (struct problem *problem);

/* Return true if the variants of M could be compared.  */
extern bool measure_has_result (const struct measurement *m);

/* Print M: measure_show as a table, followed by a sentence with the result;
   measure_json as JSON with the values of each run.  */
extern void measure_show (FILE *stream, const struct measurement *m);
extern void measure_json (FILE *stream, const struct measurement *m);

#endif
