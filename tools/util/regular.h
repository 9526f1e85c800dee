/* Regular files: the safe opening of files that other users name or own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REGULAR_H
#define REGULAR_H

/* Open the file PATH for reading.  Return -1 with errno set; EINVAL if it is
   no regular file.  The function never opens another kind of file, such as a
   FIFO or a device, and never waits for a lease of another process.  */
extern int regular_open (const char *path);

/* Open the file to which FD, opened with O_PATH, refers in the same way, with
   FLAGS (0 or O_DIRECT).  FD is closed.  */
extern int regular_reopen (int fd, int flags);

/* The same, for what others have chosen and root opens: EINVAL if the file
   takes no blocks of its file system.  Those of /proc, /sys and the like take
   none, also where they are mounted elsewhere, and to open or to read them may
   do something.  */
extern int regular_reopen_stored (int fd, int flags);

#endif
