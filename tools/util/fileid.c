/* Find out which file a descriptor or a link in /proc refers to, without
   waiting for the server of the file's filesystem.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/fileid.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

bool
fileid_of (int fd, const char *path, struct fileid *id)
{
  struct statx status = { .stx_ino = 0 };
  const int flags = AT_STATX_DONT_SYNC | (path[0] == '\0' ? AT_EMPTY_PATH : 0);
  /* FUSE without allow_other refuses to report the inode number to users who
     have not mounted the filesystem (EACCES).  If statx requests no field
     (mask 0), FUSE reports the device to every user.  */
  const bool whole = statx (fd, path, flags, STATX_INO, &status) == 0;
  if (!whole && (errno != EACCES || statx (fd, path, flags, 0, &status) != 0))
    return false;
  *id = (struct fileid){ .major = status.stx_dev_major,
                         .minor = status.stx_dev_minor,
                         .inode = whole ? status.stx_ino : 0 };
  return true;
}

bool
fileid_is_same (const struct fileid *one, const struct fileid *other)
{
  return (one->inode != 0 && one->inode == other->inode
          && one->major == other->major && one->minor == other->minor);
}
