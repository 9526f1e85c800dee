/* Mapped files: the command opens a file that a process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MAPPED_H
#define MAPPED_H

#include "host/procmaps.h"

/* Open the file that MAP of process PID shows for reading; FLAGS is 0 or
   O_DIRECT.  The function uses MAP's addresses, device, inode, name and
   "deleted".  Return -1 with errno set: ESTALE if the file found is another
   one, EINVAL if it is not a regular file or uses no blocks of its filesystem
   (regular_reopen_stored).

   The process chooses both the name and the file with that name.  So the
   function opens only regular files, and a caller who may follow the kernel's
   link never opens a file by its name.  */
extern int mapped_open (pid_t pid, const struct mapping *map, int flags);

/* Open a file that MAP of process PID showed earlier, as mapped_open does.
   Since then PID may have mapped copies over this mapping or split it, but it
   still maps the file elsewhere.  */
extern int mapped_open_file (pid_t pid, const struct mapping *map);

/* Whether FD, which may be open with O_PATH, is the file that is mapped as
   DEVICE and INODE.  */
extern bool mapped_is (int fd, dev_t device, ino_t inode);

#endif
