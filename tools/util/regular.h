/* Regular files: safe ways to open files that other users name or own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REGULAR_H
#define REGULAR_H

/* Open the file PATH for reading.  Return -1 with errno set; EINVAL if it is
   not a regular file.  The function never opens another kind of file, such as
   a FIFO or a device, and never waits for another process's lease.  */
extern int regular_open (const char *path);

/* Open the file to which FD, an O_PATH descriptor, refers, as regular_open
   does, with FLAGS (0 or O_DIRECT).  Close FD.  */
extern int regular_reopen (int fd, int flags);

/* Open the file of FD as regular_reopen does, for files that other users have
   chosen and root opens: EINVAL if the file uses no blocks of its filesystem.
   Files of /proc and /sys use none, wherever they are mounted, and opening or
   reading them may have side effects.  */
extern int regular_reopen_stored (int fd, int flags);

#endif
