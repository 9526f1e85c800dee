/* The scheduling of the stopped thread: it does not wait for other programs
   while it works for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   On a busy machine each of the calls that the thread makes would wait for a
   processor.  So the thread has the command's own scheduling for the time of
   the stop: the lowest real-time priority if the command has it, since the
   groups of processes among which the kernel divides the processors
   (sched(7), autogroup) do not count there; or else its nice value.  If
   hugetext is killed, the thread restores its own scheduling by a cleanup
   call. A thread that has a filter of system calls, or another policy than
   SCHED_OTHER, is left as it is.  */

#ifndef HURRY_H
#define HURRY_H

#include "tracee/tracee.h"

/* Have this process scheduled before all others that are not real-time, as far
   as it may.  Children do not inherit it.  */
extern void hurry_myself (void);

/* Set CALL to the cleanup call by which TRACEE's thread, which is stopped and
   has the policy SCHED_OTHER, restores its own scheduling after HOW.  False if
   it cannot have HOW.  */
extern bool hurry_prepare (struct tracee *tracee, enum tracee_hurry how,
                           struct trampoline_call *call);

/* Give the thread our scheduling in the way HOW; its cleanup call is in place.
   False if that is not possible.  */
extern bool hurry_begin (struct tracee *tracee, enum tracee_hurry how);

/* Restore the thread's own scheduling, as long as the thread would do that by
   itself.  */
extern void hurry_end (struct tracee *tracee);

#endif
