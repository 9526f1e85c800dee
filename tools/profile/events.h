/* Samples of processes by the kernel's performance events.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_EVENTS_H
#define PROFILE_EVENTS_H

#include "profile/profile.h"

#include <linux/perf_event.h>

struct profile_events
{
  struct perf_event_attr attr;
  const char *name; /* The event's name: "cycles" or "cpu-clock".  */
  int *fds;         /* All events.  */
  size_t nfds;
  struct event_ring *rings; /* The buffers, one for each processor.  */
  size_t nrings;
  struct event_queue *queue;
  uint64_t round; /* The beginning of the last look, in ns of
                     CLOCK_MONOTONIC.  */
};

/* Open EVENTS with the best event that the kernel offers.  Return NULL, or why
   no process can be sampled; then there is nothing to close.  */
extern const char *profile_events_begin (struct profile_events *events);

/* Sample process PID, all its threads, and all that it will start: from now
   on, or if ON_EXEC from the time when it executes a program.  Return NULL, or
   why that is not possible.  */
extern const char *profile_events_add (struct profile_events *events,
                                       pid_t pid, bool on_exec);

/* Sample all processes.  Return NULL, or why that is not possible; users other
   than root are often not allowed to.  */
extern const char *profile_events_add_all (struct profile_events *events);

/* Stop sampling.  */
extern void profile_events_stop (struct profile_events *events);

/* Pass the records since the last look, except the latest ones, to COUNTS; all
   of them if LAST.  Call this 20 times a second, so that the kernel's buffers
   do not overflow.  */
extern void profile_events_read (struct profile_events *events,
                                 struct profile_counts *counts, bool last);

extern void profile_events_close (struct profile_events *events);

#endif
