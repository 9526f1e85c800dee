/* Paths of files, found without access to the files' filesystems.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool
path_absolute (const char *name, char path[static PATH_MAX])
{
  path[0] = '\0';
  if (name[0] != '/' && getcwd (path, PATH_MAX) == NULL)
    return false;
  const size_t length = strlen (path);
  if (snprintf (path + length, PATH_MAX - length, "%s%s",
                length > 0 ? "/" : "", name)
      < (int) (PATH_MAX - length))
    return true;
  errno = ENAMETOOLONG;
  return false;
}

bool
path_of (int fd, char path[static PATH_MAX])
{
  char link[64];
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink (link, path, PATH_MAX - 1);
  if (length < 0)
    return false;
  path[length] = '\0';
  return true;
}
