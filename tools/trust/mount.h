/* Mounts: whether root trusts the filesystem of a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MOUNT_H
#define MOUNT_H

#include "util/problem.h"

/* Return the ID of the mount on which FD lies, which may be open with O_PATH,
   or -1 if the kernel does not tell it.  */
extern int mount_number (int fd);

/* Return false if root does not trust the filesystem of the mount NUMBER, on
   which FD lies.  */
extern bool mount_check (int fd, int number, struct problem *problem);

#endif
