/* A stop of threads of a process for some microseconds.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The stop changes nothing in the threads, except that system calls that would
   fail because of it are made again.  So if hugetext is killed, the kernel
   lets the threads go on, and nothing is lost.  */

#ifndef FREEZE_H
#define FREEZE_H

#include "tracee/blocked.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
                  (blocked.h): one thread is stopped at most.  */
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
