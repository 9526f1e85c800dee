/* The watchdog: timers that end a stop of another process, whatever happens to
   hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stopped process waits for hugetext.  So during a stop, a timer sends
   hugetext SIGCONT every 20 ms: ^Z or SIGSTOP stop hugetext for at most 20 ms.
   Another timer sends SIGKILL at the time limit.  The kernel then releases the
   tracees, even if hugetext is in a system call that only SIGKILL ends.  */

#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

/* The longest stop of a running process, in milliseconds.  A program that has
   not begun to run may be stopped longer (tracee.c).  */
#define WATCH_LIMIT 2000

/* Start the watchdog, which kills this process after MILLISECONDS.  Return
   false if this process cannot get timers (RLIMIT_SIGPENDING): then no
   process may be stopped.  After one success, watch_begin never fails
   again.  */
extern bool watch_begin (unsigned int milliseconds);
#define WATCH_PROBLEM                                                       \
  "the timer that limits the stop cannot be made (ulimit -i): the process " \
  "is left unchanged"

/* From now on also send SIGCONT between stops: a thread that did not stop in
   time may stop later.  */
extern void watch_late (void);

extern void watch_end (void);

#endif
