/* Mapped files: open a file that a process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MAPPED_H
#define MAPPED_H

#include "host/procmaps.h"

/* Open the file that MAP of process PID shows, to read it; FLAGS is 0 or
   O_DIRECT.  Of MAP the addresses, device, inode, name and "deleted" are
   looked at.  Returns -1 with errno set: ESTALE if what is found is not that
   file, EINVAL if it is no regular file.

   The process chooses the name, and what lies there now.  So nothing is opened
   before the kernel has said that it is the regular file that is mapped.  */
extern int mapped_open (pid_t pid, const struct mapping *map, int flags);

/* Whether FD, which may be open with O_PATH, is the file that is mapped as
   DEVICE and INODE.  */
extern bool mapped_is (int fd, dev_t device, ino_t inode);

/* Find the file NAME with O_PATH in the root directory of process PID, or in
   ours if that is 0, through no symbolic link.  Returns -1 with errno set.  */
extern int mapped_by_name (pid_t pid, const char *name);

#endif
