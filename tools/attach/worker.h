/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the worker takes too long and is killed, the command can still report
   this, and clean up in the children of the process.  */

#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include "util/problem.h"
#include "attach/convert.h"

/* Fork.  Return the process ID, 0 in the child, -1 on failure.  The child ends
   with this process, and does not share its input and output.  */
extern pid_t worker_begin (void);

/* The way in which a child has ended.  */
enum worker_end
{
  WORKER_ENDED,  /* The child exited.  */
  WORKER_KILLED, /* The child was killed while it could run.  */
  WORKER_WAITED, /* The child was killed while the kernel made it wait.  */
  WORKER_LEFT,   /* The child was killed but has not ended yet, because it
                    waits for a processor.  */
  WORKER_STUCK,  /* SIGKILL does not end the child.  The program's user can
                    make the kernel wait for that user's own filesystem (FUSE)
                    whenever the child reads the program's memory, or opens or
                    closes one of its files.  */
};

/* The maximum times, in nanoseconds, that the end of a killed child takes, and
   that the end of a worker takes, including its cleanup.  */
#define WORKER_END 2000000000L
#define WORKER_END_ALL (3 * WORKER_END)

/* Wait for CHILD, which works on process PID, until END, a time of thread_now,
   then kill it.  If it does not end, leave a note for root's commands.  */
extern enum worker_end worker_wait (pid_t child, pid_t pid, long end);

/* Change the process of ALL, or undo the changes if UNDO, until the time at
   which ALL ends; stop the process for at most 10 milliseconds at a time.
   Then clean up, for at most WORKER_END_ALL.  False if the work was impossible
   or not completed.  */
extern bool worker_do (struct conversion *all, bool undo,
                       struct problem *problem);

#endif
