/* Count events of a program, or of processes that run, in user mode.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COUNTERS_H
#define COUNTERS_H

#include "counter-table.h"

#include <stdbool.h>
#include <sys/types.h>

/* Which there are here.  */
struct counter_set
{
  struct counter_event events[COUNTERS]; /* COUNTER_NONE: not here.  */
  bool any;
  char problem[256]; /* What is not to be had, and why; "" if all is.  */
};

/* Find out.  STAND_IN: take events of the kernel's in their places, which
   every machine has, for tests.  */
extern void counters_find (struct counter_set *set, bool stand_in);

/* Open descriptors, of one thread, and all that it starts.  */
struct counters
{
  int fds[COUNTERS]; /* -1: none.  */
};

/* Count the events of SET for thread TID from when it executes a program on,
   or from now on.  */
extern void counters_open (struct counters *counters,
                           const struct counter_set *set, pid_t tid,
                           bool at_exec);

/* Add what was counted so far to VALUES, as far as it was: what took turns on
   too few counters is extrapolated.  What was not counted makes a value
   NAN.  */
extern void counters_read (const struct counters *counters,
                           double values[static COUNTERS]);

extern void counters_close (struct counters *counters);

#endif
