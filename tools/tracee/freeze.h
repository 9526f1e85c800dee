/* A stop of threads of a process for some microseconds, and what they notice.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The stop changes nothing in the threads, except that system calls that would
   fail because of it are made again.  So if hugetext is killed, the kernel
   lets the threads go on, and nothing is lost.

   The kernel makes most calls again that a stop has interrupted.  Some calls
   fail with EINTR, and some that move bytes return the number moved so far,
   fewer than were asked for: see signal(7).  */

#ifndef FREEZE_H
#define FREEZE_H

#include <stdbool.h>
#include <stddef.h>
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

/* One thread.  */
struct frozen
{
  pid_t tid;
  enum blocked how; /* The effect of the stop.  */
  enum
  {
    FROZEN_NOT, /* The thread has not been asked to stop,  */
    FROZEN_ASKED,
    FROZEN_STOPPED, /* or is at an event stop of ptrace,  */
    FROZEN_LEFT,    /* or has ended, or is left running.  */
  } state;
};

struct freeze
{
  struct frozen *threads; /* In the order of their IDs.  */
  size_t count, room;
  bool spared; /* Threads are at moving bytes, which a stop would cut short
                 : one thread is stopped at most.  */
};

/* Stop all threads of process PID but EXCEPT, also those that they start
   meanwhile.  FREEZE is zero at first.  Return NULL, or why that takes longer
   than MILLISECONDS, or is not possible: then all threads run on.  If one of
   the threads executes another program, the others end, and EXCEPT with them.
   A single thread has a second.  */
extern const char *freeze_threads (struct freeze *freeze, pid_t pid,
                                   pid_t except, unsigned int milliseconds);

/* The problem of a caller who cannot spare threads.  */
extern const char freeze_busy[];

/* Whether PROBLEM is that one, or that it took too long: both are
   temporary.  */
extern bool freeze_may_be_tried_again (const char *problem);

/* Have the threads run on but EXCEPT, and free FREEZE.  A thread that was
   asked and has not stopped yet, because it waits for a disk or for a child of
   vfork, is released when it stops, by blocked_release_strays or by the end of
   this process.  */
extern void freeze_thaw (struct freeze *freeze, pid_t except);

#endif
