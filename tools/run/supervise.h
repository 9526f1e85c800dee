/* Run a program as a child, and inspect its text until it ends, with almost no
   effect on the program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SUPERVISE_H
#define SUPERVISE_H

#include "text/objtext.h"
#include "util/problem.h"

#include <sys/types.h>

/* A function that is called after each inspection of process PID that has
   found text.  OBJECTS are the objects of the process, with the sizes of their
   text.  CLOSURE is the argument of supervise.  */
typedef void supervise_see (pid_t pid, const struct object_list *objects,
                            void *closure);

/* Call START with CLOSURE in a child; START executes a program, or returns an
   exit status.  Pass signals on to the program.  Set OBJECTS to the result of
   the last inspection of the program's text.  If there was no inspection,
   OBJECTS is empty.  If the program could not be inspected while it ran, set
   PROBLEM to the reason, otherwise to "".  Call SEE after each inspection.
   Return the wait status of the program.  */
extern int supervise (int (*start) (void *), supervise_see *see, void *closure,
                      struct object_list *objects, struct problem *problem);

/* From now on, forward signals that this process receives to its child
   PID, unless the child has got them directly.  */
extern void supervise_signals (pid_t pid);

/* If this process has received a signal that usually ends a process while a
   child of supervise_signals was running, return the number of the signal; if
   not, return 0.  The child's program may have handled the signal and ended
   normally.  */
extern int supervise_asked_to_end (void);

/* End this process in the same way as a process with the wait status STATUS:
   with the same exit status, or by the same signal.  */
extern void end_like (int status) __attribute__ ((noreturn));

#endif
