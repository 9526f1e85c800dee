/* Run a command once, and measure it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEASURE_RUN_H
#define MEASURE_RUN_H

#include "contender.h"
#include "counters.h"
#include "family.h"
#include "quantity.h"

/* How to run it.  */
struct run_plan
{
  const struct counter_set *counters;
  bool number;    /* It prints one.  */
  bool heard;     /* Its standard error is ours.  */
  bool watched;   /* Look at its text all the time.  */
  double look_at; /* Otherwise once, after so many seconds; 0: never.  */
};

struct run_result
{
  int status;     /* As of wait.  */
  bool no_number; /* It printed none.  */
  struct run_values values;
  struct family family; /* As it was last seen.  */
};

/* Run CONTENDER as PLAN says.  Returns NULL, or why it could not be run.  */
extern const char *measure_run (const struct contender *contender,
                                const struct run_plan *plan,
                                struct run_result *result);

#endif
