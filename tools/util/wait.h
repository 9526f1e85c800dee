/* Waiting for children of the command, with a limit of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_WAIT_H
#define UTIL_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Wait for the child PID, and kill it from END on, a time of
   clock_milliseconds.  Return whether it has ended.  The kernel may keep a
   killed child, in a call for a file that does not answer: after one second
   this function leaves it alone.  */
extern bool wait_until (pid_t pid, int64_t end);

/* Kill CHILD if it is a child of this process that has not been waited for.
   After that its ID may be another process's.  */
extern void wait_kill (pid_t child);

/* Kill all children of the command, and wait for them; likewise for children
   of theirs if the command is a subreaper (prctl(2)).  */
extern void wait_kill_all (void);

#endif
