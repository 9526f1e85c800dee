/* The watchdog: timers that end a stop of another process, whatever happens to
   hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stopped process waits for hugetext.  So during a stop, a timer sends
   hugetext SIGCONT every 20 ms: ^Z or SIGSTOP stop it no longer than that.
   Another timer sends SIGKILL when all time is over: then the kernel releases
   the tracees, even if hugetext is in a system call that nothing else
   ends.  */

#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

/* The longest stop of a running process, in milliseconds.  A program that has
   not begun may be stopped longer (tracee.c).  */
#define WATCH_LIMIT 2000

/* Start the watchdog, which kills this process after MILLISECONDS.  False if
   this process cannot get timers (RLIMIT_SIGPENDING): then nothing may be
   stopped.  Once started, it never fails again.  */
extern bool watch_begin (unsigned int milliseconds);
#define WATCH_PROBLEM                                                       \
  "the timer that limits the stop cannot be made (ulimit -i): the process " \
  "is left unchanged"

/* From now on also send SIGCONT between stops: a thread that was asked to stop
   and given up may stop then.  */
extern void watch_late (void);

extern void watch_end (void);

#endif
