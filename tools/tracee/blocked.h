/* System calls that a stop interrupts: what the thread notices, and how it is
   let go so that it notices little.
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

/* Return the state of thread TID, as in /proc/PID/stat; 'X' also for a kernel
   thread, which never runs the program and would never make our calls.  */
extern char blocked_state (pid_t tid);

/* A thread that might be stopped.  */
struct blocked_thread
{
  pid_t tid;
  enum blocked how;
};

/* Put the threads of PID that can be stopped without cutting a call short into
   LIST, which has ROOM.  Return their number, -1 if PID has ended.  SPARED is
   set if there are others.  */
extern int blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                            bool *spared);

/* Prepare thread TID, at an event stop of ptrace, to run on: have the call
   that the stop has interrupted begin again, where the kernel would not do so
   by itself or a filter of system calls would not allow it.  */
extern void release_prepare (pid_t tid);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void release_thread (pid_t tid, int status);

/* Detach from all threads that have stopped after they were given up.  */
extern void release_strays (void);

#endif
