/* Open regular files that others name or own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "regular.h"

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
        opened = open (path, flags);
      /* Not every filesystem has O_DIRECT.  */
      if (opened < 0 && (flags & O_DIRECT) != 0)
        opened = open (path, flags & ~O_DIRECT);
    }
  int error = errno;
  close (fd);
  /* No more is to be read, and cached in small pages, than is asked for.  */
  if (opened >= 0)
    posix_fadvise (opened, 0, 0, POSIX_FADV_RANDOM);
  errno = error;
  return opened;
}

int
regular_open (const char *path, int flags)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  return fd < 0 ? -1 : regular_reopen (fd, flags);
}
