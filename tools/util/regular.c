/* Regular files: safe ways to open files that other users name or own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int
regular_reopen (int fd, int flags)
{
  struct stat status;
  char path[64];
  int opened = -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  if (fstat (fd, &status) == 0)
    {
      flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
      errno = EINVAL;
      if (S_ISREG (status.st_mode))
        {
          opened = open (path, flags);
          /* If the filesystem does not support O_DIRECT, open the file without
             this flag.  */
          if (opened < 0 && (flags & O_DIRECT) != 0)
            opened = open (path, flags & ~O_DIRECT);
        }
    }
  int error = errno;
  close (fd);
  /* Switch readahead off, because it would cache more of the file in small
     pages.  */
  if (opened >= 0)
    posix_fadvise (opened, 0, 0, POSIX_FADV_RANDOM);
  errno = error;
  return opened;
}

int
regular_reopen_stored (int fd, int flags)
{
  struct stat status;
  if (fstat (fd, &status) == 0 && status.st_blocks > 0)
    return regular_reopen (fd, flags);
  close (fd);
  errno = EINVAL;
  return -1;
}

/* Without /proc: open the regular file that was found at PATH a moment
   ago.  */
static int
open_again (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (fd < 0 || (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)))
    return fd;
  close (fd);
  errno = EINVAL;
  return -1;
}

int
regular_open (const char *path)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  if (fd >= 0)
    fd = regular_reopen (fd, 0);
  else
    return -1;
  return (fd < 0 && errno == ENOENT && access ("/proc/self", F_OK) < 0
              ? open_again (path)
              : fd);
}

bool
regular_problem (struct problem *problem, int error)
{
  return (error == EINVAL
              ? problem_set (problem, "the file is not a regular file")
              : problem_system (problem, error));
}
