/* What is measured of a run.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef QUANTITY_H
#define QUANTITY_H

#include "counter-table.h"

#include <stddef.h>

enum quantity
{
  QUANTITY_NUMBER, /* What the command printed.  */
  QUANTITY_TIME,
  QUANTITY_USER,
  QUANTITY_SYSTEM,
  QUANTITY_MINOR,
  QUANTITY_MAJOR,
  QUANTITY_RSS,
  QUANTITY_HUGE, /* Per cent of the text in use.  */
  QUANTITY_CYCLES,
  QUANTITY_ITLB_HITS,
  QUANTITY_ITLB_WALKS,
  QUANTITY_WALK_CYCLES,
  QUANTITIES,
};

struct quantity_row
{
  const char *key;   /* In JSON and CSV.  */
  const char *words; /* For people.  */
  const char *unit;
  double scale; /* So many of the unit are one of the value.  */
};

extern const struct quantity_row quantity_rows[QUANTITIES];

/* Of one run; NAN is what is not known.  */
struct run_values
{
  double value[QUANTITIES];
};

/* Fill in what follows from COUNTS, of counters.h.  */
extern void quantity_from_counts (struct run_values *values,
                                  const double counts[static COUNTERS]);

/* VALUE of QUANTITY with its unit, as people write it, in BUFFER.  */
extern const char *quantity_print (enum quantity quantity, double value,
                                   char buffer[static 32]);

#endif
