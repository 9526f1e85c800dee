/* The identity of a file, and the check that an image can be made of it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "trust/identity.h"
#include "dl-hugetext-index.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <time.h>

/* Numbers that older headers lack.  */
#ifndef XFS_SUPER_MAGIC
#  define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef FUSE_SUPER_MAGIC
#  define FUSE_SUPER_MAGIC 0x65735546
#endif

struct hugetext_identity
identity_of (const struct stat *status)
{
  return HUGETEXT_IDENTITY (status);
}

const char *
identity_problem (const struct stat *status, uid_t root)
{
  return _dl_hugetext_distrust (status->st_mode,
                                status->st_uid == root ? 0 : status->st_uid);
}

/* Return the name of the filesystem TYPE.  */
static const char *
name_of (unsigned long type)
{
  static char number[32];
  switch (type)
    {
    case BTRFS_SUPER_MAGIC:
      return "btrfs";
    case EROFS_SUPER_MAGIC_V1:
      return "erofs";
    case FUSE_SUPER_MAGIC:
      return "FUSE";
    case NFS_SUPER_MAGIC:
      return "NFS";
    case OVERLAYFS_SUPER_MAGIC:
      return "overlayfs";
    case SQUASHFS_MAGIC:
      return "squashfs";
    case TMPFS_MAGIC:
      return "tmpfs";
    default:
      snprintf (number, sizeof number, "a filesystem of type %#lx", type);
      return number;
    }
}

const char *
identity_filesystem_problem (int fd, const struct stat *status)
{
  static char text[128];
  struct statfs filesystem;
  if (fstatfs (fd, &filesystem) != 0)
    return strerror (errno);
  /* Accept filesystems that were seen to keep the ctime.  Another mount may
     get the same device number, but its files have other ctimes.  */
  unsigned long type = filesystem.f_type;
  if (type != EXT4_SUPER_MAGIC && type != XFS_SUPER_MAGIC)
    {
      snprintf (text, sizeof text,
                "it is on %s, where nothing tells for certain that a file is"
                " still the same",
                name_of (type));
      return text;
    }
  /* Refuse loop devices: any user at the machine may have had one attached and
     mounted.  */
  if (major (status->st_dev) == LOOP_MAJOR)
    return "it is on a loop device, which may be another file's tomorrow";
  return NULL;
}

const char *
identity_seal_problem (int fd)
{
  struct statx status;
  if (statx (fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) != 0)
    return strerror (errno);
  return (status.stx_attributes & STATX_ATTR_VERITY) != 0
             ? "it is sealed by fs-verity, and its image would not be"
             : NULL;
}

const char *
identity_source_problem (int fd, const struct stat *status)
{
  struct timespec now;
  const char *problem = identity_problem (status, 0);
  if (problem == NULL)
    problem = identity_filesystem_problem (fd, status);
  if (problem == NULL)
    problem = identity_seal_problem (fd);
  clock_gettime (CLOCK_REALTIME, &now);
  if (problem == NULL && status->st_ctim.tv_sec > now.tv_sec + 1)
    problem = "its ctime is in the future: the clock was set back; touch it";
  return problem;
}
