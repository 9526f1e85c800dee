/* Stop, for some microseconds, all other threads of a process, and all threads
   of the processes that share its memory (CLONE_VM).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The threads do not notice the stop: if the stop makes a system call fail,
   the command restarts the call.  If hugetext is killed, the kernel lets the
   threads continue, and nothing is lost: each thread still receives the signal
   that it was about to receive.  If a thread executes another program, all
   other threads end, including the thread that the caller has excepted.  */

#ifndef FREEZE_H
#define FREEZE_H

#include "dl-hugetext-names.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A thread that the command has asked to stop.  */
struct frozen
{
  pid_t tid;
  bool stopped;
  bool addressed; /* The result of blocked_is_addressed.  */
  long since;     /* The time that blocked_in has set in SINCE.  */
  int signal;     /* The signal that the thread was about to receive, or
                     0.  */
};

enum
{
  FREEZE_SHARERS = 8,
};

struct freeze
{
  /* The other processes that share the memory of the process whose threads are
     stopped.  If SHARERS contains a child of vfork, freeze_others fails,
     because the thread that called vfork waits for the child and cannot
     stop.  */
  pid_t sharers[FREEZE_SHARERS];
  size_t nsharers; /* The number of processes in SHARERS, or a number above
                      FREEZE_SHARERS if there are too many.  */
  struct frozen *threads;
  size_t count, room;
  pid_t last;   /* The highest ID of a thread that was asked to stop.  */
  size_t asked; /* The number of threads that were asked to stop, including
                   threads that have ended since then.  */
};

/* Find the processes that share the memory of process PID.  Call this function
   before stopping any thread, because the search takes longer than the
   stop.  */
extern void freeze_prepare (struct freeze *freeze, pid_t pid);

/* Stop all threads of process PID except EXCEPT, including threads that start
   during this function.  Also stop all threads of the processes that
   freeze_prepare has found.  Before the first call, FREEZE must be all
   zeros.  Return HUGETEXT_NONE, or the reason why the threads cannot be
   stopped within MILLISECONDS.  If the function fails, all threads of the
   process continue.  */
extern enum hugetext_reason freeze_others (struct freeze *freeze, pid_t pid,
                                           pid_t except,
                                           unsigned int milliseconds);

/* Return true if a later call of freeze_others may succeed, because the
   threads took too long to stop, or because a thread was in a system call that
   moves bytes (blocked.h).  PROBLEM is the reason why freeze_others has
   failed.  */
extern bool freeze_may_be_tried_again (enum hugetext_reason problem);

/* Let the threads continue.  A thread that has not stopped yet, because it
   waits for a disk or a vfork child, stays in FREEZE until a later call of
   freeze_thaw.  If this process ends, the kernel lets all threads
   continue.  */
extern void freeze_thaw (struct freeze *freeze);

/* Call this function after the last stop of the process.  Let the threads
   continue, wait at most a second for threads that have not stopped yet, and
   free the lists of FREEZE.  */
extern void freeze_end (struct freeze *freeze);

#endif
