/* The measurement: a command is timed with two settings, and compared.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEASURE_H
#define MEASURE_H

#include "run/family.h"
#include "run/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
  /* The confidence, in per cent: of a hundred comparisons of equal settings,
     one finds a difference.  */
  MEASURE_SURE = 99,
  /* The fewest rounds with that confidence: in 2 of 2^7 cases all of 7 pairs
     of equal settings agree about which is larger.  */
  MEASURE_LEAST = 8,
  MEASURE_MOST = 1000,
};

/* The estimate of a ratio.  */
struct comparison
{
  double ratio;     /* The estimate.  */
  double low, high; /* The interval of the ratio, with that confidence.  */
};

/* Whether the two settings are equal, as far as the measurements tell.  */
static inline bool
comparison_is_even (const struct comparison *comparison)
{
  return comparison->low <= 1 && comparison->high >= 1;
}

/* Estimate the ratio of WITH to BASE from COUNT pairs, whose two values are
   from the same round.  False if there are too few or too many pairs, if a
   value is not positive, or if there is no memory.  */
extern bool compare_pairs (const double base[], const double with[],
                           size_t count, struct comparison *comparison);

/* Return the quantile Q, 0 to 1, of COUNT VALUES without those that are NAN;
   NAN if there are none.  */
extern double compare_quantile (const double values[], size_t count, double q);

/* Return which of two variants, 0 or 1, comes first in ROUND: in an even round
   by CHANCE, in an odd round the one that was second in the round before,
   whose first was BEFORE.  So the order is ABBA or BAAB: an even drift over
   two rounds cancels out, and an event hits either variant with the same
   probability.  */
extern size_t compare_first (size_t round, size_t before, bool chance);

enum counter
{
  COUNTER_INSTRUCTIONS,
  COUNTER_CYCLES,
  COUNTER_ITLB, /* Misses, by the kernel's definition.  */
  COUNTERS,
};

/* The counters of this machine.  */
struct counter_set
{
  bool has[COUNTERS];
  bool stand_in;     /* The kernel's software events in their places, for
                        tests.  */
  char problem[256]; /* The missing counters, and why; "" if none is
                        missing.  */
};

extern void counters_find (struct counter_set *set, bool stand_in);

/* Open counters of a process and its descendants.  */
struct counters
{
  int fds[COUNTERS]; /* Descriptors, -1 if there is none.  */
};

/* Count the events of SET for PID from its next execve on.  */
extern void counters_open (struct counters *counters,
                           const struct counter_set *set, pid_t pid);

/* Set VALUES to the counts, and close COUNTERS: counts of events that shared
   too few counters are extrapolated, missing ones are NAN.  */
extern void counters_end (struct counters *counters,
                          double values[static COUNTERS]);

/* A variant, one side of a comparison: a command under the stock loader, or
   under ours with settings.  */
struct variant
{
  const char *name; /* The name as the user gave it.  */
  bool stock;
  struct settings settings;
  char *tunables; /* The value of GLIBC_TUNABLES; NULL for the present one.  */
  struct launch launch;
};

/* Fill in VARIANT from WORDS: "stock", or any of "on", "off", "code", a
   backing, "max=N" and "pad=BYTES", with commas.  Return NULL, or what is
   wrong, in static memory.  */
extern const char *variant_parse (struct variant *variant, const char *words);

/* Prepare VARIANT to run LAUNCH, whose way is chosen and whose namespace is
   held.  False if there is no memory.  */
extern bool variant_prepare (struct variant *variant,
                             const struct launch *launch);

enum quantity
{
  QUANTITY_NUMBER, /* The number that the command printed.  */
  QUANTITY_TIME,
  QUANTITY_USER,
  QUANTITY_SYSTEM,
  QUANTITY_MINOR,
  QUANTITY_MAJOR,
  QUANTITY_RSS,
  QUANTITY_CYCLES,
  QUANTITY_ITLB,
  QUANTITIES,
};

/* The values of one run; NAN for an unknown one.  */
struct run_values
{
  double value[QUANTITIES];
};

/* The plan of one run.  */
struct run_plan
{
  const struct counter_set *counters;
  bool number;  /* The command prints a number.  */
  bool watched; /* Look at the command's text all the time, and show its
                   errors.  */
};

struct run_result
{
  int status;     /* The wait status.  */
  bool no_number; /* The command printed no number.  */
  struct run_values values;
  struct family family; /* The family at the last look.  */
};

/* Run VARIANT by PLAN.  Return NULL, or why it could not be run.  */
extern const char *measure_run (const struct variant *variant,
                                const struct run_plan *plan,
                                struct run_result *result);

struct measurement
{
  char **command;
  size_t rounds;
  bool number; /* The command prints the number to be compared.  */
  struct counter_set counters;
  struct variant variants[2]; /* The base, and the variant that is compared
                                 with it.  */
  struct family families[2];  /* The families at the last look before the
                                 rounds.  */
  struct run_values runs[2][MEASURE_MOST];
};

/* Measure M, whose command, rounds, number, counters, and variants' launches
   are set.  Return an exit status; errors have been reported.  */
extern int measure (struct measurement *m);

/* Print M: for people a table and the result in a sentence; and as JSON, with
   each run.  */
extern void measure_show (FILE *stream, const struct measurement *m);
extern void measure_json (FILE *stream, const struct measurement *m);

#endif
