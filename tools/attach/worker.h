/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The worker is a process of its own: if it takes too long and is killed, the
   command can still report that, and clear the children of the process.  */

#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include "attach/convert.h"

/* Fork.  Return the process ID, 0 in the child, -1 on failure.  The child ends
   with this process, and has nothing of its input and output.  */
extern pid_t worker_begin (void);

/* How a child has ended.  */
enum worker_end
{
  WORKER_ENDED,  /* By itself.  */
  WORKER_KILLED, /* It could have gone on.  */
  WORKER_WAITED, /* Killed, and the kernel had kept it waiting.  */
  WORKER_LEFT,   /* Killed, but not yet ended: it waits for a processor.  */
  WORKER_STUCK,  /* Not even by SIGKILL: the program's user can have the kernel
                   wait for a file system of his own (FUSE) wherever its memory
                   is read or a file of it is opened or closed.  */
};

/* The longest that the end of a child takes after it was killed, and of a
   worker: its traces are cleared then.  Nanoseconds.  */
#define WORKER_END 2000000000L
#define WORKER_END_ALL (3 * WORKER_END)

/* Wait for CHILD, which works on process PID, until END, a time of thread_now,
   and kill it then.  If it stays, note that for root's commands.  */
extern enum worker_end worker_wait (pid_t child, pid_t pid, long end);

/* Change the process of ALL, or UNDO the change, in stops of at most 10
   milliseconds each, until the end of ALL, and clear up, for WORKER_END_ALL at
   most.  Return NULL or why that is not possible, or not to its end.  */
extern const char *worker_do (struct conversion *all, bool undo);

#endif
