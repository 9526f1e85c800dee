/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the worker (the child that changes a process) takes too long, the command
   kills it.  Because the worker is a separate process, the command can then
   still report that the worker took too long, and clean up in the children of
   the process.  */

#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include "util/problem.h"
#include "attach/convert.h"

/* Fork.  Return the child's process ID, 0 in the child, or -1 on failure.  The
   child ends when this process ends, and does not share this process's input
   and output.  */
extern pid_t worker_begin (void);

/* The ways in which a child of the command can end.  */
enum worker_end
{
  WORKER_ENDED,  /* The child exited.  */
  WORKER_KILLED, /* The child was killed while it was running or waiting for a
                    processor, so it was not blocked in the kernel.  */
  WORKER_WAITED, /* The child was killed while it was blocked in the
                    kernel.  */
  WORKER_LEFT,   /* The child was killed but still waits for a processor, and
                    so has not ended yet.  */
  WORKER_STUCK,  /* SIGKILL does not end the child, because the child is
                    blocked in the kernel.  The user who runs the program can
                    block the child with a filesystem of his own (FUSE),
                    whenever the child reads the program's memory, or opens or
                    closes one of the program's files.  */
};

/* WORKER_END is the maximum number of nanoseconds that a killed child takes to
   end.  WORKER_END_ALL is the maximum for a worker together with the cleanup
   after it.  */
#define WORKER_END 2000000000L
#define WORKER_END_ALL (3 * WORKER_END)

/* Wait until CHILD, which works on process PID, has ended.  At the time END
   (of thread_now), kill CHILD.  If CHILD does not end, leave a note that
   tells other commands of root about CHILD.  */
extern enum worker_end worker_wait (pid_t child, pid_t pid, long end);

/* Let a child, the worker, change the process that ALL describes, or undo
   earlier changes if UNDO is true.  The worker must end by the time limit in
   ALL.  Each stop of the process lasts at most 10 milliseconds.  When the
   worker has ended, clean up in children of the process that have inherited
   mappings or a descriptor of the command.  The cleanup ends at most
   WORKER_END_ALL nanoseconds after the time limit.  Return false if the change
   was impossible, or was not completed.  */
extern bool worker_do (struct conversion *all, bool undo,
                       struct problem *problem);

#endif
