/* Wait until children of the command end, and kill those that are left when
   the command ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_WAIT_H
#define UTIL_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The maximum time, in seconds, that a function of this file waits for killed
   children.  The kernel may block a killed child that accesses a file whose
   server does not answer.  */
#define WAIT_FAREWELL 1

/* Wait until the child process PID has ended.  If PID has not ended at the
   time END (of clock_milliseconds), kill it.  Return true if PID has ended.
   After END, wait for at most WAIT_FAREWELL more seconds.  */
extern bool wait_until (pid_t pid, int64_t end);

/* Wait for PID like wait_until.  If PID has ended, set *STATUS to its status
   (waitpid), or to -1 with errno set if the status is unknown.  */
extern bool wait_status (pid_t pid, int64_t end, int *status);

/* Kill all children of the command, and wait for them.  If the command is a
   subreaper (prctl(2)), also kill the children's children, and wait for
   them.  */
extern void wait_kill_all (void);

/* Make the kernel send SIGNAL to this process, a child of PARENT, when PARENT
   ends.  Return false if PARENT has already ended.  Call this function again
   after each change of the user ID, because such a change makes the kernel
   cancel the request for SIGNAL.  */
extern bool wait_end_with (pid_t parent, int signal);

#endif
