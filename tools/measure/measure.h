/* The measurement whether a command is faster with huge text.
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
  /* So sure, per cent: of twenty comparisons of equal things hardly ever two
     are found to differ.  */
  MEASURE_SURE = 99,
  /* Fewer rounds cannot be that sure: in 2 of 2^7 cases all of 7 pairs of
     equal things agree about which is larger.  */
  MEASURE_LEAST = 8,
  MEASURE_MOST = 1000,
};

/* The estimate of a ratio.  */
struct comparison
{
  double ratio;     /* The estimate.  */
  double low, high; /* It is between these, so sure.  */
};

/* The same thing, as far as the measurements tell.  */
static inline bool
comparison_is_even (const struct comparison *comparison)
{
  return comparison->low <= 1 && comparison->high >= 1;
}

/* Estimate the ratio of WITH to BASE from COUNT pairs, of which the two values
   are from the same round.  False if there are too few, or too many, or a
   value is not positive, or there is no memory.  */
extern bool compare_pairs (const double base[], const double with[],
                           size_t count, struct comparison *comparison);

/* The quantile Q, 0 to 1, of COUNT VALUES; NAN if there are none.  Values that
   are NAN do not count.  */
extern double compare_quantile (const double values[], size_t count, double q);

/* Which of two things, 0 or 1, comes first in ROUND: in an even one by CHANCE,
   in an odd one the one that was second in that before, whose first was
   BEFORE.  So the order is ABBA or BAAB: what drifts evenly in two rounds
   cancels out, and what happens at a time hits either with the same
   probability.  */
extern size_t compare_first (size_t round, size_t before, bool chance);

enum counter
{
  COUNTER_INSTRUCTIONS,
  COUNTER_CYCLES,
  COUNTER_ITLB, /* Misses, as the kernel understands it.  */
  COUNTERS,
};

/* Which there are here.  */
struct counter_set
{
  bool has[COUNTERS];
  bool stand_in; /* Events of the kernel's in their places, for tests.  */
  char
      problem[256]; /* The figures that are missing, and why; "" if none is. */
};

extern void counters_find (struct counter_set *set, bool stand_in);

/* Open descriptors, of a process and all that it starts.  */
struct counters
{
  int fds[COUNTERS]; /* -1: none.  */
};

/* Count the events of SET for PID from when it executes a program on.  */
extern void counters_open (struct counters *counters,
                           const struct counter_set *set, pid_t pid);

/* Set VALUES to what was counted, and close COUNTERS: what took turns on too
   few counters is extrapolated, what was not counted is NAN.  */
extern void counters_end (struct counters *counters,
                          double values[static COUNTERS]);

/* A side of a comparison: a command under the stock loader, or under
   ours with settings.  */
struct variant
{
  const char *name; /* As it was given.  */
  bool stock;
  struct settings settings;
  char *tunables; /* Of GLIBC_TUNABLES; NULL: as they are.  */
  struct launch launch;
};

/* Fill in VARIANT from WORDS: "stock", or of "on", "off", "code", a backing,
   "max=N" and "pad=BYTES" as many as are wanted, with commas.  Returns NULL,
   or what is wrong, in static memory.  */
extern const char *variant_parse (struct variant *variant, const char *words);

/* Have VARIANT run LAUNCH, whose way is chosen, and whose namespace is held.
   False if there is no memory.  */
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

/* Of one run; NAN is what is not known.  */
struct run_values
{
  double value[QUANTITIES];
};

/* How to run it.  */
struct run_plan
{
  const struct counter_set *counters;
  bool number;  /* It prints one.  */
  bool watched; /* Look at its text all the time, and let it say errors.  */
};

struct run_result
{
  int status;     /* As of wait.  */
  bool no_number; /* It printed none.  */
  struct run_values values;
  struct family family; /* As it was last seen.  */
};

/* Run VARIANT as PLAN says.  Returns NULL, or why it could not be run.  */
extern const char *measure_run (const struct variant *variant,
                                const struct run_plan *plan,
                                struct run_result *result);

struct measurement
{
  char **command;
  size_t rounds;
  bool number; /* The command prints what is to be compared.  */
  struct counter_set counters;
  struct variant variants[2]; /* The base, and what is compared with it. */
  struct family families[2];  /* As last seen of text before the rounds.  */
  struct run_values runs[2][MEASURE_MOST];
};

/* Measure M, of which command, rounds, number, counters, and variants'
   launches are filled in.  Returns an exit status; what went wrong is said. */
extern int measure (struct measurement *m);

/* Print M: for people a table and what came of it in a sentence; and as JSON,
   with each run.  */
extern void measure_show (FILE *stream, const struct measurement *m);
extern void measure_json (FILE *stream, const struct measurement *m);

#endif
