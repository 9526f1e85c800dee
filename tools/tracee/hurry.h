/* The scheduling of the stopped thread, so that it does not wait for other
   programs while it works for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   On a busy machine each call of the thread would wait for a processor.  So
   during the stop the thread has the command's own scheduling: the lowest
   real-time priority if the command has it, because the groups of processes
   among which the kernel divides the processors (sched(7), autogroup) do not
   count there; otherwise the command's nice value.  If hugetext is killed, the
   thread restores its own scheduling by a cleanup call.  The command does not
   change a thread that has a filter of system calls, or another policy than
   SCHED_OTHER.  */

#ifndef HURRY_H
#define HURRY_H

#include "tracee/tracee.h"

/* Schedule this process before all others that are not real-time, as far as it
   may.  Children do not inherit this.  */
extern void hurry_myself (void);

/* Set CALL to the cleanup call by which TRACEE's thread, which is stopped and
   has the policy SCHED_OTHER, restores its own scheduling after HOW.  False if
   it cannot have HOW.  */
extern bool hurry_prepare (struct tracee *tracee, enum tracee_hurry how,
                           struct trampoline_call *call);

/* Give the thread the command's scheduling in the way HOW, after its cleanup
   call is in place.  False if that is impossible.  */
extern bool hurry_begin (struct tracee *tracee, enum tracee_hurry how);

/* Restore the thread's own scheduling, while its cleanup call is still in
   place.  */
extern void hurry_end (struct tracee *tracee);

#endif
