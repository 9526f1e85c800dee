/* The watchdog: timers that end a stop of another process, whatever happens to
   hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stopped process waits for hugetext.  So during a stop timers send hugetext
   SIGCONT every 20 ms: ^Z or SIGSTOP stop it no longer than that.  Another
   timer sends SIGKILL at the end of all time: then the kernel releases the
   tracees, even if hugetext is in a system call that nothing else ends.  */

#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

/* The longest stop of a process that runs, in milliseconds.  A program that
   has not begun may be stopped longer (tracee.c).  */
#define WATCH_LIMIT 2000

/* Start the watchdog, which kills this process after MILLISECONDS.  False if
   this process gets no timers (RLIMIT_SIGPENDING): nothing may be stopped
   then.  It never fails again once it has been started.  */
extern bool watch_begin (unsigned int milliseconds);
#define WATCH_PROBLEM \
  "no timer can be had, which would end its stop (ulimit -i): left alone"

/* Have SIGCONT come between stops, too, from now on: a thread that was asked
   to stop has been given up, and may stop then.  */
extern void watch_late (void);

extern void watch_end (void);

#endif
