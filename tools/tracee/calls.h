/* Functions that calls.c and tracee.c share; tracee.h has those for other
   files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_CALLS_H
#define TRACEE_CALLS_H

#include "tracee/tracee.h"

/* Signals as the kernel has them.  */
#define ALL_SIGNALS UINT64_MAX

/* Forget the thread.  */
extern void calls_forget (struct tracee *tracee);

/* Have the trampoline make the cleanup calls that there are.  */
extern bool calls_write_cleanup (struct tracee *tracee);

/* Note that the thread is gone; or if STATUS is 0, that it does not come.
   Returns -ESRCH.  */
extern long calls_lose (struct tracee *tracee, int status);

/* Until when to wait for what a thread has to do for us.  A control group may
   freeze it (cgroup.freeze) between any two calls, a file be on a disk that
   does not answer.  Then it goes on as if we had been killed.  */
extern long calls_patience (void);

#endif
