/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the worker takes too long, the command kills it.  The command can then
   still report this, and clean up in the children of the process.  */

#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include "util/problem.h"
#include "attach/convert.h"

/* Fork.  Return the child's process ID, 0 in the child, or -1 on failure.
   The child ends when this process ends, and does not share its input and
   output.  */
extern pid_t worker_begin (void);

/* How a child has ended.  */
enum worker_end
{
  WORKER_ENDED,  /* The child exited.  */
  WORKER_KILLED, /* The child was killed while it could run.  */
  WORKER_WAITED, /* The child was killed while it was blocked in the
                    kernel.  */
  WORKER_LEFT,   /* The child was killed but still waits for a processor, and
                    so has not ended yet.  */
  WORKER_STUCK,  /* SIGKILL does not end the child, because it is blocked in
                    the kernel.  The user of the program can cause this with a
                    filesystem of his own (FUSE), whenever the child reads the
                    program's memory, or opens or closes one of its files.  */
};

/* The maximum times in nanoseconds: for the end of a killed child, and for
   the end of a worker including its cleanup.  */
#define WORKER_END 2000000000L
#define WORKER_END_ALL (3 * WORKER_END)

/* Wait until CHILD, which works on process PID, has ended.  At the time END
   (of thread_now), kill it.  If it does not end, leave a note that root's
   commands read.  */
extern enum worker_end worker_wait (pid_t child, pid_t pid, long end);

/* Make a worker that changes the process of ALL, or undoes the changes if
   UNDO, until the time at which ALL ends.  Each stop of the process lasts at
   most 10 milliseconds.  Then clean up, which takes at most WORKER_END_ALL.
   Return false if the work was impossible, or not completed.  */
extern bool worker_do (struct conversion *all, bool undo,
                       struct problem *problem);

#endif
