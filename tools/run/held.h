/* A child that waits before each of its steps until its parent tells it to
   continue.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HELD_H
#define HELD_H

#include <stdbool.h>
#include <sys/types.h>

/* Fork, and set *PID to the result of fork.  A socket connects the parent and
   the child.  In the parent and in the child, return the descriptor of the
   process's own end of the socket.  If no child can be made, set errno and
   return -1.  */
extern int held_fork (pid_t *pid);

/* held_tell lets the other process continue.  held_wait waits until the other
   process calls held_tell.  Return false if the other process has ended, or
   has executed another program.  */
extern bool held_tell (int fd);
extern bool held_wait (int fd);

#endif
