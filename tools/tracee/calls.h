/* The functions that calls.c and tracee.c share.  tracee.h declares the
   functions for other files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_CALLS_H
#define TRACEE_CALLS_H

#include "tracee/tracee.h"

/* A signal mask that contains all signals, in the kernel's format.  */
#define ALL_SIGNALS UINT64_MAX

/* The signal that a thread sends to itself after its calls, and its bit in the
   kernel's signal masks.  A program that was just executed ignores SIGURG.  */
#define CALLS_STOP SIGURG
#define CALLS_STOP_BIT (UINT64_C (1) << (CALLS_STOP - 1))

/* Return true if TRACEE's thread, whose signal mask is known, will be stopped
   by the signal that it sends to itself.  */
extern bool calls_stop_by_signal (const struct tracee *tracee);

/* Forget TRACEE's thread.  */
extern void calls_forget (struct tracee *tracee);

/* Write the cleanup calls of TRACEE (the member CLEANUP) into its
   trampoline.  */
extern bool calls_write_cleanup (struct tracee *tracee);

/* Record that TRACEE's thread has ended or, if STATUS is 0, that it does not
   stop.  Return -ESRCH.  */
extern long calls_lose (struct tracee *tracee, int status);

/* Return the deadline for system calls that a thread begins now.  A call may
   take very long, because a control group freezes the thread before the call
   (cgroup.freeze), or because the call needs a file on a disk that does not
   answer.  After the deadline, the command no longer controls the thread.
   When the call ends, the thread makes its cleanup calls in the trampoline,
   and continues its program.  A thread does the same if the command is
   killed.  */
extern long calls_patience (void);

#endif
