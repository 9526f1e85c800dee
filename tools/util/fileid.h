/* Which file a descriptor or a link in /proc refers to, without a question to
   the server of the file's filesystem.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILEID_H
#define FILEID_H

#include <stdbool.h>
#include <stdint.h>

/* The device and the inode number of a file.  If the filesystem does not
   report the inode number to this user, INODE is 0.  (For example, FUSE
   without allow_other reports only its device.)  */
struct fileid
{
  uint32_t major, minor;
  uint64_t inode;
};

/* Set ID to the file on descriptor FD, or, if FD is AT_FDCWD, to the file that
   the link PATH in /proc refers to.  Call neither stat nor fstat for a file of
   another user: the server of its filesystem (FUSE) need not answer, and not
   even SIGKILL ends a call whose question this server has read.  fileid_of
   uses statx with AT_STATX_DONT_SYNC, which the kernel answers from its own
   memory, and therefore at once.  (The filesystems 9p and gfs2, which only
   root can mount, ask their servers even for the device and the inode number.)
   On failure return false with errno set.  */
extern bool fileid_of (int fd, const char *path, struct fileid *id);

/* Return true if ONE and OTHER are the same file.  Return false if an inode
   number is unknown.  */
extern bool fileid_is_same (const struct fileid *one,
                            const struct fileid *other);

#endif
