/* Mounts: whether root trusts the filesystem of a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MOUNT_H
#define MOUNT_H

/* Return the ID of the mount on which FD lies, which may be open with O_PATH;
   -1 if the kernel does not tell it.  */
extern int mount_number (int fd);

/* Return the reason why root does not trust the filesystem of the mount
   NUMBER, on which FD lies; NULL if root does.  The text is in static
   memory.  */
extern const char *mount_problem (int fd, int number);

#endif
