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
  BLOCKED_PERHAPS, /* The call fails with EINTR if it has a timeout and was
                      not allowed to begin again (limit.h).  */
  BLOCKED_EINTR,   /* The same, and the call has a timeout.  */
  BLOCKED_SHORT,   /* The thread must not be stopped.  */
};

/* Return the effect of a stop on thread TID of process PID.  Set *SINCE to a
   time, by thread_now, at which no call of TID's that may fail with EINTR had
   begun; 0 if TID is in such a call.  */
extern enum blocked blocked_in (pid_t pid, pid_t tid, long *since);

/* Whether signals to the whole process PID are sent by way of thread TID: by
   kill to the first one, of a child's end to the child's parent.  A signal
   that the process ignores is not sent at all, unless just that thread is
   traced: then it is queued, and interrupts any thread that is not stopped. So
   such threads are traced only while all others are, if that is possible.  */
extern bool blocked_is_addressed (pid_t pid, pid_t tid);

/* Return the state of thread TID, as in /proc/PID/stat; 'X' also for a kernel
   thread, which never runs the program and would never make our calls.  */
extern char blocked_state (pid_t tid);

/* A thread that might be stopped.  */
struct blocked_thread
{
  pid_t tid;
  enum blocked how;
  long since; /* See blocked_in.  */
};

/* Put the threads of PID that can be stopped without cutting a call short into
   LIST, which has ROOM.  Return their number, -1 if PID has ended.  SPARED
   is set if there are others.  */
extern int blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                            bool *spared);

/* Prepare thread TID, at an event stop of ptrace or one of a signal, to run
   on: have the call that the stop has interrupted begin again, where the
   kernel would not do so by itself or a filter of system calls would not allow
   it.  SINCE: see blocked_in; 0 if it is not known.  */
extern void release_prepare (pid_t tid, long since);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void release_thread (pid_t tid, int status);

/* Detach from all threads that have stopped after they were given up.  */
extern void release_stopped (void);

#endif
