/* Open a file that another process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MAPPED_H
#define MAPPED_H

#include "host/procmaps.h"

/* Open the file that process PID has mapped as MAP.  FLAGS is 0 or O_DIRECT;
   the file is always opened for reading.  The function uses these members of
   MAP: the addresses, DEVICE, INODE, NAME and DELETED.  On failure set errno
   and return -1: ESTALE means that another file was found; EINVAL means that
   the file is not a regular file, or takes no space in its filesystem
   (regular_reopen_stored).

   The process can choose the name of the mapped file, and can later give this
   name to another file.  Therefore mapped_open opens only regular files.  If
   the caller may follow the link in /proc/PID/map_files, mapped_open does not
   use the file's name.  */
extern int mapped_open (pid_t pid, const struct mapping *map, int flags);

/* Open the file of MAP, a mapping that was read from /proc/PID/maps some time
   ago, with the checks of mapped_open.  Since MAP was read, process PID may
   have replaced a part of the mapping by copies, or split it, but PID must
   still have the file mapped somewhere.  */
extern int mapped_open_file (pid_t pid, const struct mapping *map);

/* Return true if /proc/PID/maps shows DEVICE and INODE for mappings of the
   file FD.  FD may have been opened with O_PATH.  */
extern bool mapped_is (int fd, dev_t device, ino_t inode);

/* The message for a path that leads to another file than the mapped file.  */
#define MAPPED_OTHER \
  "the file at this path is not the file that the process has mapped"

#endif
