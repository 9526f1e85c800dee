/* The scheduling priority of the stopped thread.  The command raises the
   thread's priority, so that the thread does not wait for other programs while
   it makes system calls for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   On a busy machine each call of the thread would wait for a processor.  While
   the thread makes system calls for the command, it is scheduled like the
   command: with the lowest real-time priority if the command has this
   priority, otherwise with the command's nice value.  A real-time priority is
   better than a nice value: the kernel divides the processors among groups of
   processes (sched(7), autogroup), but ignores these groups for real-time
   threads.  If hugetext is killed, the thread restores its own scheduling by a
   cleanup call.  The command does not change a thread that has a seccomp
   filter, or a policy other than SCHED_OTHER.  */

#ifndef HURRY_H
#define HURRY_H

#include "tracee/tracee.h"

/* Raise the priority of this process above all processes that are not
   real-time, if it has the right to do so.  Children do not inherit the raised
   priority.  */
extern void hurry_myself (void);

/* Set CALL to the cleanup call with which TRACEE's thread will restore its
   scheduling after the change HOW.  Call this function only for a stopped
   thread with the policy SCHED_OTHER.  Return false if the thread cannot
   change its scheduling to HOW.  */
extern bool hurry_prepare (struct tracee *tracee, enum tracee_hurry how,
                           struct trampoline_call *call);

/* Change the thread's scheduling to HOW, after its cleanup call has been
   written to the trampoline.  Return false if the kernel refuses to change the
   scheduling.  */
extern bool hurry_begin (struct tracee *tracee, enum tracee_hurry how);

/* Restore the thread's own scheduling.  The thread's cleanup call must still
   be in the trampoline.  */
extern void hurry_end (struct tracee *tracee);

#endif
