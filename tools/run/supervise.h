/* Supervision: a program runs as a child that hardly notices it, and its text
   is looked at until it ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SUPERVISE_H
#define SUPERVISE_H

#include "text/objtext.h"
#include "util/problem.h"

/* Call START with CLOSURE in a child; START executes a program, or returns an
   exit status.  Set OBJECTS to the program's text at the last look; empty if
   there was none, and PROBLEM to why the program could not be looked at while
   it ran, "" if it could.  Signals to this process are passed on to the
   program.  Return its wait status.  */
extern int supervise (int (*start) (void *), void *closure,
                      struct object_list *objects, struct problem *problem);

/* Pass signals to this process on to PID, our child, from now on.  */
extern void supervise_signals (pid_t pid);

/* End as STATUS, a wait status, does: by the same signal, if it was one.  */
extern void end_like (int status) __attribute__ ((noreturn));

#endif
