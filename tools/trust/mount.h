/* Mounts: find out whether root trusts the filesystem that a file is on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MOUNT_H
#define MOUNT_H

#include <stdio.h>
#include <sys/types.h>

#include "util/problem.h"

/* Return the ID of the mount that FD is on, or -1 if the kernel does not tell.
   FD may have been opened with O_PATH.  */
extern int mount_number (int fd);

/* Return false and set PROBLEM if root does not trust the filesystem of the
   file FD, which is on the mount NUMBER.  */
extern bool mount_check (int fd, int number, struct problem *problem);

/* Whether the table of mounts STREAM (proc_pid_mountinfo(5)) has a mount
   without nosuid of the filesystem with the device number DEVICE, and root can
   trust this type of filesystem.  A process may see the same filesystem with
   nosuid.  */
extern bool mount_has_device (FILE *stream, dev_t device);

/* FD is on the mount NUMBER, at a place where only root mounts filesystems.
   Return false if root does not trust the filesystem of this mount.  The mount
   may be nosuid, because administrators mount /var with nosuid.  */
extern bool mount_check_own (int fd, int number);

#endif
