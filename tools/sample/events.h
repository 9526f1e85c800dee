/* The performance events that sample processes, and their records.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EVENTS_H
#define EVENTS_H

#include "sample/sample.h"

#include <linux/perf_event.h>

struct sample_events
{
  struct perf_event_attr attr;
  int *fds; /* All events.  */
  size_t nfds;
  struct ring *rings; /* The buffers, one for each processor.  */
  size_t nrings;
  uint64_t looked; /* The beginning of the last look, in ns of
                      CLOCK_MONOTONIC.  */
};

/* Choose the best event that the kernel offers.  Return its name, "cycles" or
   "cpu-clock"; NULL with errno set if there is none.  */
extern const char *events_begin (struct sample_events *events);

/* Sample process PID, all its threads, and all that it will start: from now
   on, or if ON_EXEC from the time when it executes a program.  Return NULL, or
   why that is not possible.  */
extern const char *events_add (struct sample_events *events, pid_t pid,
                               bool on_exec);

/* Sample all processes.  Return NULL, or why that is not possible; users other
   than root are often not allowed to.  */
extern const char *events_add_all (struct sample_events *events);

/* Pass the records since the last look, except the latest ones, on to
   SAMPLING.  Call this 20 times a second, so that the kernel's buffers do not
   overflow.  */
extern void events_look (struct sample_events *events,
                         struct sampling *sampling);

/* Stop sampling, pass all other records on, and close EVENTS.  */
extern void events_end (struct sample_events *events,
                        struct sampling *sampling);

#endif
