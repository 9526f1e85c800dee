/* System calls that a stop interrupts, and what the thread notices.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel makes most calls again that a stop has interrupted, and the
   program does not notice.  Some calls fail with EINTR, and some that move
   bytes return the number moved so far, fewer than were asked for: see
   signal(7).  */

#ifndef BLOCKED_H
#define BLOCKED_H

#include <stdbool.h>
#include <sys/types.h>

/* The effect of a stop on a thread, harmless effects first.  */
enum blocked
{
  BLOCKED_AGAIN,   /* The call goes on as if it had not been stopped,  */
  BLOCKED_NOT,     /* or the thread runs, and the kernel does not say
                      where.  */
  BLOCKED_PERHAPS, /* The call fails with EINTR if it has a timeout.  */
  BLOCKED_EINTR,
  BLOCKED_SHORT, /* The thread must not be stopped.  */
};

/* Return the effect of a stop on thread TID of process PID.  */
extern enum blocked blocked_in (pid_t pid, pid_t tid);

/* Prepare thread TID, at an event stop of ptrace, to run on as if it had not
   been stopped: have the call that the stop has interrupted begin again, where
   the kernel would not do so by itself or a filter of system calls would not
   allow it.  If TID also has a signal, the call fails because of that as
   usual.  */
extern void blocked_prepare (pid_t tid);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void blocked_release (pid_t tid, int status);

/* Detach from all threads that have stopped after they were given up: their
   stop interrupts their calls all the same.  False if some have still to
   stop.  */
extern bool blocked_release_strays (void);

#endif
