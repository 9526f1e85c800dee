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
  const char *name; /* Of the event: "cycles" or "cpu-clock".  */
  int *fds;         /* All events.  */
  size_t nfds;
  struct event_ring *rings; /* One for each processor that is there.  */
  size_t nrings;
  struct event_queue *queue;
  uint64_t round; /* When the last look began, ns of CLOCK_MONOTONIC.  */
};

/* Get ready, choosing the best event that there is.  Returns NULL, or why
   nothing can be sampled; then there is nothing to close.  */
extern const char *profile_events_begin (struct profile_events *events);

/* Sample process PID, all threads that it has, and what it will start: from
   now on, or if ON_EXEC from when it executes a program.  Returns NULL, or why
   that cannot be done.  */
extern const char *profile_events_add (struct profile_events *events,
                                       pid_t pid, bool on_exec);

/* Sample all processes.  Returns NULL, or why that cannot be done; others than
   root are often not allowed to.  */
extern const char *profile_events_add_all (struct profile_events *events);

/* No more samples from now on.  */
extern void profile_events_stop (struct profile_events *events);

/* Tell COUNTS what has happened since the last look, or almost; all of it if
   LAST.  To be called often enough for the kernel's buffers to hold what
   happens meanwhile, 20 times a second.  */
extern void profile_events_read (struct profile_events *events,
                                 struct profile_counts *counts, bool last);

extern void profile_events_close (struct profile_events *events);

#endif
