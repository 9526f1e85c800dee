/* Why a process cannot, or must not, be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_REFUSAL_H
#define TRACEE_REFUSAL_H

#include <stdbool.h>
#include <sys/types.h>

/* Why process PID must not be; NULL if it may, as far as can be told.  In
   static memory, as the next.  */
extern const char *tracee_refusal (pid_t pid);

/* Why no thread of it must be stopped right now; NULL if any may.  */
extern const char *tracee_dumping (pid_t pid);

/* Why the kernel did not let us trace PID: ERROR is errno.  */
extern const char *tracee_not_permitted (pid_t pid, int error);

/* Whether the system calls of thread TID of process PID are filtered.  */
extern bool tracee_is_filtered (pid_t pid, pid_t tid);

#endif
