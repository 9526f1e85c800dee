/* A stop, for some microseconds, of the other threads of a process and of
   processes that share its memory (CLONE_VM).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The stop has no effect on the threads, except that the command restarts
   system calls that would fail because of the stop.  If hugetext is killed,
   the kernel resumes the threads, and nothing is lost: a thread takes the
   signal that it was about to take.  If a thread executes another program, the
   other threads end, and the thread EXCEPT also ends.  */

#ifndef FREEZE_H
#define FREEZE_H

#include "dl-hugetext-names.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One thread that the command has asked to stop.  */
struct frozen
{
  pid_t tid;
  bool stopped;
  bool addressed; /* The result of blocked_is_addressed.  */
  long since;     /* A time set by blocked_in (its SINCE).  */
  int signal;     /* The signal that the thread was about to take, or 0.  */
};

enum
{
  FREEZE_SHARERS = 8,
};

struct freeze
{
  /* Other processes that share the memory of the stopped one; without vfork
     children, whose parents do not stop.  */
  pid_t sharers[FREEZE_SHARERS];
  size_t nsharers; /* The number of sharers; more than FREEZE_SHARERS if there
                      are too many.  */
  struct frozen *threads;
  size_t count, room;
  pid_t last;   /* The highest ID of a thread that was asked to stop.  */
  size_t asked; /* The number of threads asked, including threads that have
                   ended since.  */
};

/* Find processes that share the memory of process PID.  This takes longer than
   the other steps, so callers do it before they stop any thread.  */
extern void freeze_prepare (struct freeze *freeze, pid_t pid);

/* Stop all threads of process PID except EXCEPT, including new threads, and
   all threads of the processes that freeze_prepare found.  FREEZE must be zero
   before the first call.  Return HUGETEXT_NONE, or the reason why the stop
   takes longer than MILLISECONDS or is impossible.  After a failure all
   threads continue.  */
extern enum hugetext_reason freeze_others (struct freeze *freeze, pid_t pid,
                                           pid_t except,
                                           unsigned int milliseconds);

/* Whether PROBLEM, a result of freeze_others, is temporary: the stop took too
   long, or a thread was moving bytes (blocked.h).  */
extern bool freeze_may_be_tried_again (enum hugetext_reason problem);

/* Resume the threads.  A thread that was asked to stop but has not stopped
   yet, because it waits for a disk or a vfork child, stays in FREEZE: call
   this function again later.  The end of this process has the same effect.  */
extern void freeze_thaw (struct freeze *freeze);

#endif
