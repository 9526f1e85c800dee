/* The identity of a file, and the check that an image can be made of this
   file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "trust/identity.h"
#include "dl-hugetext-index.h"
#include "trust/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <time.h>

struct hugetext_identity
identity_of (const struct stat *status)
{
  return HUGETEXT_IDENTITY (status);
}

bool
identity_check (const struct stat *status, uid_t root, struct problem *problem)
{
  const char *why = _dl_hugetext_distrust (
      status->st_mode, status->st_uid == root ? 0 : status->st_uid);
  return why == NULL || problem_set_fault (problem, FAULT_WRITERS, why);
}

bool
identity_is_of_root (int fd, dev_t own, dev_t device, FILE *mounts)
{
  struct stat status;
  struct statfs filesystem;
  struct problem ignored;
  return (fstat (fd, &status) == 0 && identity_check (&status, 0, &ignored)
          && (status.st_dev == own
              || (fstatfs (fd, &filesystem) == 0
                  && (filesystem.f_flags & ST_NOSUID) == 0)
              || (mounts != NULL && mount_has_device (mounts, device))));
}

bool
identity_is_relied_on (int fd, const struct hugetext_identity *object,
                       const struct hugetext_identity *image)
{
  struct stat root;
  struct statvfs filesystem;
  return (object->device == image->device
          || (stat ("/", &root) == 0 && root.st_dev == object->device)
          || (fstatvfs (fd, &filesystem) == 0
              && (filesystem.f_flag & ST_NOSUID) == 0));
}

/* Return true if an image can be made of a file on a filesystem whose type is
   MAGIC.  */
static bool
keeps_ctime (unsigned long magic)
{
  static const unsigned long magics[] = {
#define FILESYSTEM(name, magic) magic,
#include "trust/filesystems.def"
#undef FILESYSTEM
  };
  for (size_t i = 0; i < sizeof magics / sizeof magics[0]; ++i)
    if (magics[i] != 0 && magics[i] == magic)
      return true;
  return false;
}

/* Return false and set PROBLEM if the filesystem or the protection of the file
   FD rules out an image of the file, even if root owns the file.  */
static bool
check_filesystem (int fd, struct problem *problem)
{
  struct statx status;
  struct statfs filesystem;
  if (fstatfs (fd, &filesystem) != 0
      || statx (fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) != 0)
    return problem_system (problem, errno);
  /* Another mount may later get the same device number, but the files of that
     mount have other ctimes.  */
  if (!keeps_ctime (filesystem.f_type))
    return problem_set (
        problem,
        "the file is neither on ext4 nor on XFS: other filesystems do not "
        "reliably show that a file was changed");
  /* Refuse files on loop devices, because any local user may have attached and
     mounted one.  */
  if (status.stx_dev_major == LOOP_MAJOR)
    return problem_set (
        problem,
        "the file is on a loop device, which may be backed by another file "
        "later");
  return (status.stx_attributes & STATX_ATTR_VERITY) == 0
         || problem_set (problem,
                         "the file is protected by fs-verity, and an image of "
                         "the file would not have this protection");
}

bool
identity_check_source (int fd, const struct stat *status,
                       struct problem *problem)
{
  struct timespec now;
  if (!identity_check (status, 0, problem) || !check_filesystem (fd, problem))
    return false;
  clock_gettime (CLOCK_REALTIME, &now);
  return status->st_ctim.tv_sec <= now.tv_sec + 1
         || problem_set (
             problem,
             "the ctime of the file is in the future, because the clock was "
             "set back; to renew the ctime, touch the file");
}
