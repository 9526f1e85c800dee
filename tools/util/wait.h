/* Waiting for children of the command, and their end when the command ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_WAIT_H
#define UTIL_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Wait for the child PID, and kill it from END on, a time of
   clock_milliseconds.  Return whether it has ended.  The kernel may keep a
   killed child waiting for a file whose server does not answer.  After one
   second this function stops waiting for such a child.  */
extern bool wait_until (pid_t pid, int64_t end);

/* Kill CHILD if it is a child of this process that has not been waited for.
   After it has been waited for, its ID may belong to another process.  */
extern void wait_kill (pid_t child);

/* Kill all children of the command, and wait for them; if the command is a
   subreaper (prctl(2)), also kill their children, and wait for them.  */
extern void wait_kill_all (void);

/* In a child of the process PARENT: let the kernel send SIGNAL to this
   process when PARENT ends.  Return false if PARENT has ended already.  A
   change of the user clears this setting.  */
extern bool wait_end_with (pid_t parent, int signal);

#endif
