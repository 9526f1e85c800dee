/* A stop of the other threads of a process for some microseconds.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nothing of theirs is changed but that calls that would fail for that are
   made again, so if we are killed the kernel lets them go on, and nothing is
   lost: a signal that one was about to take it takes.  If one of them executes
   another program the others end, and EXCEPT with them.  */

#ifndef FREEZE_H
#define FREEZE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One thread.  */
struct frozen
{
  pid_t tid;
  bool stopped;
  int signal; /* That it was about to take, or 0.  */
};

struct freeze
{
  struct frozen *threads;
  size_t count, room;
  pid_t last; /* The highest that was ever asked.  */
};

/* Stop all threads of process PID but EXCEPT, also those that they start
   meanwhile.  FREEZE is zero at first.  Returns NULL, or why that takes longer
   than MILLISECONDS, or cannot be done: then all run on.  */
extern const char *freeze_others (struct freeze *freeze, pid_t pid,
                                  pid_t except, unsigned int milliseconds);

/* Whether that problem was that it took too long, or that a thread moved bytes
   (blocked.h).  */
extern bool freeze_may_be_tried_again (const char *problem);

/* Have them run on.  Who was asked and has not stopped yet, since it waits for
   a disk or for a child of vfork, stays in FREEZE: to be called again then, at
   the latest when we end, which has the same effect.  */
extern void freeze_thaw (struct freeze *freeze);

#endif
