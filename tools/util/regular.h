/* Regular files: open those that others name or own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REGULAR_H
#define REGULAR_H

/* Open the file PATH to read it, with FLAGS (0 or O_DIRECT) besides.  Returns
   -1 with errno set; EINVAL if it is no regular file.  What is none, say a
   FIFO or a device, is never opened, and no lease of another process is waited
   for.  */
extern int regular_open (const char *path, int flags);

/* The same for the file that FD, opened with O_PATH, refers to.  FD is
   closed.  */
extern int regular_reopen (int fd, int flags);

#endif
