/* The release of a stopped thread, which goes on as if it had not been
   stopped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_RELEASE_H
#define TRACEE_RELEASE_H

#include <stdbool.h>
#include <sys/types.h>

/* Thread TID is at an event stop of ptrace's.  Have the call that the stop has
   interrupted begin again, where the kernel would not do that by itself or a
   filter of system calls would not let it.  */
extern void release_prepare (pid_t tid);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void release_thread (pid_t tid, int status);

/* Detach from all threads that have stopped by now although they were given
   up.  Returns whether EXCEPT has ended.  */
extern bool release_strays (pid_t except);

#endif
