/* Supervision: run a program as a child that hardly notices it, and look at
   its text when it ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SUPERVISE_H
#define SUPERVISE_H

#include "text/objtext.h"

/* Call START with CLOSURE in a child; it executes a program, or returns an
   exit status.  OBJECTS is what the program's text was in the end; empty if
   it could not be looked at.  *EARLY: it ended so soon that it may still have
   been loading.  Signals sent to us are passed on to it.  Returns its wait
   status.  */
extern int supervise (int (*start) (void *), void *closure,
                      struct object_list *objects, bool *early);

/* From now on pass signals sent to us on to PID, our child.  */
extern void supervise_signals (pid_t pid);

/* End as STATUS, a wait status, says: by the same signal, if it was one.  */
extern void end_like (int status) __attribute__ ((noreturn));

#endif
