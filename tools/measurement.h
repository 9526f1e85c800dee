/* A comparison of commands: what is compared, and what was measured.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "compare.h"
#include "contender.h"
#include "counters.h"
#include "family.h"
#include "quantity.h"

#include <stdbool.h>

enum
{
  CONTENDERS_MOST = 10,
};

struct measurement
{
  char **command;
  size_t rounds;
  bool number; /* The command prints what is to be compared.  */
  struct counter_set counters;
  /* The first is what the others are compared with.  */
  struct contender contenders[CONTENDERS_MOST];
  size_t count;
  /* The last that was seen of text before the first round.  */
  struct family families[CONTENDERS_MOST];
  /* Of contender C in round R: [C * ROUNDS + R].  */
  struct run_values *runs;
};

/* What is compared.  */
static inline enum quantity
measurement_subject (const struct measurement *measurement)
{
  return measurement->number ? QUANTITY_NUMBER : QUANTITY_TIME;
}

/* One quantity of one contender.  */
struct summary
{
  size_t count;             /* Rounds in which it is known.  */
  double median, low, high; /* The latter are quartiles.  */
  bool compared;            /* The ratio to the first contender is known.  */
  struct comparison comparison;
};

/* Sum up QUANTITY of contender C.  */
extern struct summary measurement_summary (const struct measurement *m,
                                           size_t c, enum quantity quantity);

/* In how many rounds text of contender C was seen, and was on small pages
   alone.  */
extern void measurement_text (const struct measurement *m, size_t c,
                              size_t *seen, size_t *none);

/* Whether contender C was to have text on huge pages, and had none whenever it
   was seen.  */
extern bool measurement_has_none (const struct measurement *m, size_t c);

#endif
