/* System calls that a stop interrupts, and what the thread notices.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel makes most calls again that a stop has interrupted, and nobody
   notices.  Some fail with EINTR, and some that move bytes return how many
   they have moved so far, fewer than were asked for: see signal(7).  */

#ifndef BLOCKED_H
#define BLOCKED_H

#include <stdbool.h>
#include <sys/types.h>

/* The better ones first.  */
enum blocked
{
  BLOCKED_AGAIN,   /* It goes on as if nothing had been, */
  BLOCKED_NOT,     /* or it runs: the kernel does not say where.  */
  BLOCKED_PERHAPS, /* It fails with EINTR if it has a timeout.  */
  BLOCKED_EINTR,
  BLOCKED_SHORT, /* It must not be stopped.  */
};

/* The effect of a stop on thread TID of process PID.  */
extern enum blocked blocked_in (pid_t pid, pid_t tid);

/* Have TID, which is stopped and not led anywhere, make its call again if that
   would fail with EINTR for our stop alone, without end otherwise; if there is
   a signal for it, too, it fails for that as ever.  */
extern void blocked_again (pid_t tid);

/* The state of thread TID, as in /proc/PID/stat; 'X' as well if it never runs
   the program, but is the kernel's own: what we had it do it would never come
   to.  */
extern char blocked_state (pid_t tid);

/* A thread that might be stopped.  */
struct blocked_thread
{
  pid_t tid;
  enum blocked how;
};

/* Put those threads of PID into LIST, which has ROOM, that can be stopped
   without a call of theirs being cut short.  Returns how many there are, -1 if
   PID has ended.  SPARED: there are others.  */
extern int blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                            bool *spared);

#endif
