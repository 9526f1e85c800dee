/* Supervision: runs a program as a child that hardly notices it, and inspects
   its text until it ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SUPERVISE_H
#define SUPERVISE_H

#include "text/objtext.h"
#include "util/problem.h"

/* Call START with CLOSURE in a child; START executes a program, or returns an
   exit status.  Set OBJECTS to the program's text at the last inspection;
   empty if there was none.  Set PROBLEM to the reason why the program could
   not be inspected while it ran; "" if it could.  Signals to this process are
   passed on to the program.  Return its wait status.  */
extern int supervise (int (*start) (void *), void *closure,
                      struct object_list *objects, struct problem *problem);

/* From now on pass signals to this process on to its child PID.  */
extern void supervise_signals (pid_t pid);

/* End this process as STATUS, a wait status, tells: with the same exit status,
   or by the same signal.  */
extern void end_like (int status) __attribute__ ((noreturn));

#endif
