/* Mounts: whether root trusts the filesystem that a file lies on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MOUNT_H
#define MOUNT_H

/* Return the kernel's number for the mount that FD, which may be open with
   O_PATH, lies on; -1 if /proc does not tell.  */
extern int mount_number (int fd);

/* Return why root does not trust the filesystem of the mount NUMBER, on which
   FD lies; NULL if root does.  The text is in static memory.  */
extern const char *mount_problem (int fd, int number);

#endif
