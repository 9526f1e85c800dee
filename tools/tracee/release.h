/* The release of a stopped thread, which goes on as if it had not been
   stopped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_RELEASE_H
#define TRACEE_RELEASE_H

#include <stdbool.h>
#include <sys/types.h>

/* Prepare thread TID, at an event stop of ptrace, to run on: have the call
   that the stop has interrupted begin again, where the kernel would not do so
   by itself or a filter of system calls would not allow it.  */
extern void release_prepare (pid_t tid);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void release_thread (pid_t tid, int status);

/* Detach from all threads that have stopped after they were given up.  Return
   whether EXCEPT has ended.  */
extern bool release_strays (pid_t except);

#endif
