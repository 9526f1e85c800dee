/* The identity of a file, and the check whether an image can be made from the
   file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IDENTITY_H
#define IDENTITY_H

#include "util/problem.h"
#include "dl-hugetext-index.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* Return the identity of the file that STATUS describes.  */
extern struct hugetext_identity identity_of (const struct stat *status);

/* Return false and set PROBLEM if the loader would not trust a file with the
   status STATUS.  ROOT is the user ID that the loader regards as root.  */
extern bool identity_check (const struct stat *status, uid_t root,
                            struct problem *problem);

/* Return true if only root can have written the regular file on descriptor FD:
   root owns the file, no other user has write permission, and root trusts the
   file's filesystem (mount.c).  Root trusts a filesystem if its device is OWN
   (the device of root's directory "/"), or if the filesystem is mounted
   without nosuid, either where FD was opened or anywhere in MOUNTS.  MOUNTS is
   root's table of mounts, or NULL.  Without this table, files on root's disks
   would be refused in a service or a dry run that sees the disks mounted with
   nosuid.  DEVICE is the device number of FD's filesystem in /proc/PID/maps;
   on btrfs, stat reports another number.  The function asks the kernel only
   about FD, and opens no file.  */
extern bool identity_is_of_root (int fd, dev_t own, dev_t device,
                                 FILE *mounts);

/* Return true if the loader would use the image IMAGE, because OBJECT's
   filesystem is also that of IMAGE or of the root directory, or is mounted
   without nosuid (elf/optional/dl-hugetext-store.c).  OBJECT is the identity
   of the file FD, and IMAGE is the identity of the image of this file.  Assume
   that no seccomp filter forbids the loader to call statfs.  */
extern bool identity_is_relied_on (int fd,
                                   const struct hugetext_identity *object,
                                   const struct hugetext_identity *image);

/* Return false and set PROBLEM if no image can be made of the file FD, whose
   status is STATUS, for example because root does not trust the file, because
   its filesystem does not reliably show that a file was changed, or because
   fs-verity protects the file.  With fs-verity, the kernel checks each page of
   the file when it reads the page, but would not check the pages of an image.
   fs-verity cannot protect the image itself, because a filesystem with
   fs-verity does not support huge pages of files (ext4, Linux 6.18).  */
extern bool identity_check_source (int fd, const struct stat *status,
                                   struct problem *problem);

#endif
