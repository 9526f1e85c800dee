/* Put a text into a file, so that whoever reads it finds the old one or the new
   one as a whole.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
rewrite_file (const char *path, const char *text)
{
  char new[PATH_MAX];
  /* Nothing reads files of such names in any of the folders.  */
  if (snprintf (new, sizeof new, "%s.hugetext-new", path)
      >= (int)sizeof new)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  unlink (new);
  int fd = open (new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0)
    return false;
  size_t length = strlen (text);
  /* If not all of it is written, and no reason given.  */
  errno = ENOSPC;
  /* Whatever our umask.  */
  bool good = (fchmod (fd, 0644) == 0
               && write (fd, text, length) == (ssize_t)length);
  if (close (fd) == 0 && good && rename (new, path) == 0)
    return true;
  int error = errno;
  unlink (new);
  errno = error;
  return false;
}
