/* A child that waits before each of its steps until its parent tells it to
   continue.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HELD_H
#define HELD_H

#include <stdbool.h>
#include <sys/types.h>

/* Fork, and set *PID as fork does.  The parent and the child are joined by a
   socket: return in each of them the descriptor of its end of the socket.
   Return -1 with errno set if there is no child.  */
extern int held_fork (pid_t *pid);

/* held_tell lets the other process continue.  held_wait waits until the other
   process calls held_tell.  Return false if the other process has ended, or
   has executed another program.  */
extern bool held_tell (int fd);
extern bool held_wait (int fd);

#endif
