/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the worker takes too long and is killed, the command can still report
   that, and clean up in the children of the process.  */

#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include "attach/convert.h"

/* Fork.  Return the process ID, 0 in the child, -1 on failure.  The child ends
   with this process, and does not share its input and output.  */
extern pid_t worker_begin (void);

/* How a child has ended.  */
enum worker_end
{
  WORKER_ENDED,  /* It exited.  */
  WORKER_KILLED, /* It was killed while it could run.  */
  WORKER_WAITED, /* It was killed while the kernel made it wait.  */
  WORKER_LEFT,   /* It was killed but has not ended yet: it waits for a
                    processor.  */
  WORKER_STUCK,  /* SIGKILL does not end it: the program's user can make the
                    kernel wait for a filesystem of his own (FUSE) whenever its
                    memory is read or a file of it is opened or closed.  */
};

/* The longest times, in nanoseconds, that the end of a killed child takes, and
   the end of a worker, including its cleanup.  */
#define WORKER_END 2000000000L
#define WORKER_END_ALL (3 * WORKER_END)

/* Wait for CHILD, which works on process PID, until END, a time of thread_now,
   then kill it.  If it does not end, leave a note for root's commands.  */
extern enum worker_end worker_wait (pid_t child, pid_t pid, long end);

/* Change the process of ALL, or UNDO the change, in stops of at most 10
   milliseconds each, until the end of ALL; then clean up, for at most
   WORKER_END_ALL.  Return NULL, or why it was impossible or not completed.  */
extern const char *worker_do (struct conversion *all, bool undo);

#endif
