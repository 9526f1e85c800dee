/* The watchdog: timers that let a stopped process continue, even if hugetext
   itself is stopped or blocked.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If hugetext were stopped while it keeps another process stopped, the other
   process would hang.  So a timer sends SIGCONT to hugetext every 20 ms, and
   ^Z or SIGSTOP can stop hugetext for at most 20 ms.  Another timer sends
   SIGKILL to hugetext at the time limit.  SIGKILL ends hugetext even in a
   blocked system call that no other signal interrupts, and the kernel then
   lets the stopped threads continue.  */

#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

/* The longest time in milliseconds for which a running process is stopped.  A
   program that has not executed an instruction yet may be stopped for longer
   than WATCH_LIMIT (tracee.c).  */
#define WATCH_LIMIT 2000

/* Start the watchdog, which kills this process after MILLISECONDS.  If this
   process cannot have timers (RLIMIT_SIGPENDING), return false.  Without
   timers, this process must not stop another process.  After one successful
   call, later calls of watch_begin never fail.  */
extern bool watch_begin (unsigned int milliseconds);
#define WATCH_PROBLEM                                                     \
  "hugetext cannot create the timer that limits how long the process is " \
  "stopped (ulimit -i), so hugetext leaves the process unchanged"

/* From now on, also send SIGCONT when no process is stopped, because a thread
   that did not stop in time may stop later.  */
extern void watch_late (void);

extern void watch_end (void);

#endif
