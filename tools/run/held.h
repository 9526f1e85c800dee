/* Held children: each step of a child waits until its parent is ready.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HELD_H
#define HELD_H

#include <stdbool.h>
#include <sys/types.h>

/* Fork.  Set *PID as fork does.  Return an end of a socket in both processes;
   -1 with errno set if there is no child.  */
extern int held_fork (pid_t *pid);

/* Let the other process continue, and wait until it does the same.  Return
   false if it has ended, or executed another program.  */
extern bool held_tell (int fd);
extern bool held_wait (int fd);

#endif
