/* Mounts: find out whether root trusts the filesystem that a file is on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MOUNT_H
#define MOUNT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/problem.h"

/* A line of a table of mounts (proc_pid_mountinfo(5)).  */
struct mount
{
  int number;
  dev_t device;
  bool nosuid;
  char type[64];     /* The type of the filesystem.  */
  const char *root;  /* The directory that is mounted at PLACE, as a path
                        within its own filesystem.  */
  const char *place; /* The path at which the directory ROOT is mounted.  */
};

/* Read the next MOUNT from STREAM, a table of mounts.  LINE and ROOM are a
   buffer and its size, in the form that getline expects; the members of MOUNT
   point into the buffer.  Return false at the end of the table.  */
extern bool mount_read (FILE *stream, char **line, size_t *room,
                        struct mount *mount);

/* Return the ID of the mount that FD is on, or -1 if the kernel does not
   report the ID.  FD may have been opened with O_PATH.  */
extern int mount_number (int fd);

/* Return the ID of the mount that FD is on, like mount_number, but ask the
   kernel by one system call, without a file of /proc.  Before Linux 5.8,
   return -1.  The system call does not wait for the server of a network or
   FUSE filesystem.  */
extern int mount_ask (int fd);

/* Return false and set PROBLEM if root does not trust the filesystem of the
   file FD, which is on the mount NUMBER.  */
extern bool mount_check (int fd, int number, struct problem *problem);

/* STREAM is a table of mounts.  Return true if the table contains a mount
   without nosuid whose device number is DEVICE and whose type of filesystem
   root can trust.  In the mount namespace of another process, the same
   filesystem may be mounted with nosuid.  */
extern bool mount_has_device (FILE *stream, dev_t device);

/* Return true if root trusts the filesystem of the mount NUMBER.  FD is a file
   or directory on the mount NUMBER, in a directory where only root can mount
   filesystems.  The mount may have the option nosuid, because administrators
   mount /var with nosuid.  */
extern bool mount_check_own (int fd, int number);

#endif
