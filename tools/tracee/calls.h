/* Functions that calls.c and tracee.c share; tracee.h has those for other
   files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_CALLS_H
#define TRACEE_CALLS_H

#include "tracee/tracee.h"

/* The kernel's mask of all signals.  */
#define ALL_SIGNALS UINT64_MAX

/* The signal that a thread sends to itself after its calls, which a program
   that was just executed ignores, and its bit in the kernel's masks.  */
#define CALLS_STOP SIGURG
#define CALLS_STOP_BIT (UINT64_C (1) << (CALLS_STOP - 1))

/* Whether TRACEE's thread, whose signal mask is known, stops for that
   signal.  */
extern bool calls_stop_by_signal (const struct tracee *tracee);

/* Forget the thread.  */
extern void calls_forget (struct tracee *tracee);

/* Write the present cleanup calls into the trampoline.  */
extern bool calls_write_cleanup (struct tracee *tracee);

/* Note that the thread is gone, or, if STATUS is 0, that it does not stop.
   Return -ESRCH.  */
extern long calls_lose (struct tracee *tracee, int status);

/* Return the time until which to wait for a thread's calls.  A control group
   may freeze the thread (cgroup.freeze) between any two calls, and a file may
   be on a disk that does not answer.  After that time the thread continues as
   if hugetext had been killed.  */
extern long calls_patience (void);

#endif
