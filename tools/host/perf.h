/* The kernel's performance events, and the reasons why they may not be
   available.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PERF_H
#define PERF_H

#include "util/problem.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/* Open the event ATTR for thread TID on processor CPU.  A TID of -1 means all
   threads, and a CPU of -1 means all processors.  Return a descriptor, or -1
   with errno set.  */
extern int perf_open (struct perf_event_attr *attr, pid_t tid, int cpu);

/* Set PROBLEM to the reason why an event cannot be opened.  ERROR is the
   value of errno.  Return false.  */
extern bool perf_explain (int error, struct problem *problem);

#endif
