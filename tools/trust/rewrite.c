/* The replacement of a file: a reader finds all of the old one or all of the
   new one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "trust/rewrite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_NAME ".new-hugetext-"

bool
rewrite_folder (const char *path, int *made)
{
  char parent[PATH_MAX];
  if (access (path, F_OK) == 0)
    return true;
  snprintf (parent, sizeof parent, "%s", path);
  if (strcmp (path, "/") == 0 || strcmp (path, ".") == 0
      || !rewrite_folder (dirname (parent), made))
    return false;
  if (mkdir (path, 0755) != 0)
    return errno == EEXIST;
  if (made != NULL)
    ++*made;
  return chmod (path, 0755) == 0;
}

bool
rewrite_at (int fd, const void *data, size_t size, uint64_t offset)
{
  while (size > 0)
    {
      ssize_t n = pwrite (fd, data, size, offset);
      if (n < 0 && errno != EINTR)
        return false;
      if (n > 0)
        {
          data = (const char *) data + n;
          size -= n;
          offset += n;
        }
    }
  return true;
}

int
rewrite_begin (const char *folder, char new[static PATH_MAX])
{
  if (snprintf (new, PATH_MAX, "%s/" NEW_NAME "XXXXXX", folder) < PATH_MAX)
    return mkostemp (new, O_CLOEXEC);
  errno = ENAMETOOLONG;
  return -1;
}

bool
rewrite_end (int fd, const char *new, const char *path, bool good)
{
  /* The mode does not depend on the umask.  */
  good = (good && fchmod (fd, 0644) == 0 && fsync (fd) == 0
          && rename (new, path) == 0);
  int error = errno;
  close (fd);
  if (!good)
    unlink (new);
  errno = error;
  return good;
}

bool
rewrite_data (const char *path, const void *data, size_t size)
{
  char folder[PATH_MAX], new[PATH_MAX];
  snprintf (folder, sizeof folder, "%s", path);
  int fd = rewrite_begin (dirname (folder), new);
  return (fd >= 0
          && rewrite_end (fd, new, path, rewrite_at (fd, data, size, 0)));
}

void
rewrite_clean (const char *folder)
{
  DIR *dir = opendir (folder);
  if (dir == NULL)
    return;
  for (struct dirent *entry; (entry = readdir (dir)) != NULL;)
    if (strncmp (entry->d_name, NEW_NAME, strlen (NEW_NAME)) == 0)
      unlinkat (dirfd (dir), entry->d_name, 0);
  closedir (dir);
}
