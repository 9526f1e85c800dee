/* Regular files: safe ways to open files that other users name or own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REGULAR_H
#define REGULAR_H

#include "util/problem.h"

/* Open the file PATH for reading.  Return a descriptor, or -1 with errno set.
   EINVAL means that the file is not a regular file.  The function opens only
   regular files, never a FIFO or a device, and never waits for a process that
   holds a lease on the file.  */
extern int regular_open (const char *path);

/* Open the file of the O_PATH descriptor FD for reading, with the same checks
   as regular_open, and with FLAGS (0 or O_DIRECT).  Close FD.  */
extern int regular_reopen (int fd, int flags);

/* Open the file of the O_PATH descriptor FD with regular_reopen, but fail with
   EINVAL if the file takes no space in its filesystem (st_blocks is 0).  Root
   uses this function to open files that other users have chosen.  Opening or
   reading a file of /proc or /sys may have side effects.  Files of /proc and
   /sys have no blocks (st_blocks is 0), wherever their filesystem is mounted,
   so this function never opens them.  */
extern int regular_reopen_stored (int fd, int flags);

/* Set PROBLEM to the error number ERROR of one of these functions, and return
   false.  That a file is not a regular file is known, not unknown.  */
extern bool regular_problem (struct problem *problem, int error);

#endif
