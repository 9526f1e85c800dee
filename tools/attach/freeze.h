/* A stop of the other threads of a process for some microseconds, and of those
   of other processes that have the same memory (CLONE_VM).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The stop changes nothing in the threads, except that system calls that would
   fail because of it are made again.  So if hugetext is killed, the kernel
   lets the threads go on, and nothing is lost: a thread takes the signal that
   it was about to take.  If one of them executes another program, the others
   end, and EXCEPT with them.  */

#ifndef FREEZE_H
#define FREEZE_H

#include "dl-hugetext-names.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One thread.  */
struct frozen
{
  pid_t tid;
  bool stopped;
  bool addressed; /* See blocked_is_addressed,  */
  long since;     /* and blocked_in.  */
  int signal;     /* The signal that the thread was about to take, or 0.  */
};

enum
{
  FREEZE_SHARERS = 8,
};

struct freeze
{
  /* Other processes with the memory of the one that is stopped; a child of
     vfork is not meant, because its parent does not stop.  */
  pid_t sharers[FREEZE_SHARERS];
  size_t nsharers; /* More than FREEZE_SHARERS if there are too many.  */
  struct frozen *threads;
  size_t count, room;
  pid_t last;   /* The highest ID of a thread that was asked,  */
  size_t asked; /* and how many were, with those that ended meanwhile.  */
};

/* Look for processes that have the memory of process PID.  This takes longer
   than other steps, so it is done before anything is stopped.  */
extern void freeze_prepare (struct freeze *freeze, pid_t pid);

/* Stop all threads of process PID but EXCEPT, also those that they start
   meanwhile, and of the processes of freeze_prepare.  FREEZE is zero at
   first.  Return HUGETEXT_NONE, or why that takes longer
   than MILLISECONDS, or is not possible: then all threads run on.  */
extern enum hugetext_reason freeze_others (struct freeze *freeze, pid_t pid,
                                           pid_t except,
                                           unsigned int milliseconds);

/* Whether PROBLEM, of freeze_others, is temporary: it took too long, or a
   thread was moving bytes (blocked.h).  */
extern bool freeze_may_be_tried_again (enum hugetext_reason problem);

/* Have the threads run on.  A thread that was asked and has not stopped yet,
   because it waits for a disk or for a child of vfork, stays in FREEZE: call
   this function again later.  The end of this process has the same effect.  */
extern void freeze_thaw (struct freeze *freeze);

#endif
