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
rewrite_folder (const char *path)
{
  struct stat status;
  char parent[PATH_MAX];
  if (stat (path, &status) == 0)
    return true;
  snprintf (parent, sizeof parent, "%s", path);
  if (strcmp (path, "/") == 0 || strcmp (path, ".") == 0
      || !rewrite_folder (dirname (parent)))
    return false;
  return (mkdir (path, 0755) == 0 ? chmod (path, 0755) == 0 : errno == EEXIST);
}

int
rewrite_begin (const char *folder, char new[static PATH_MAX])
{
  if (snprintf (new, PATH_MAX, "%s/" NEW_NAME "XXXXXX", folder) >= PATH_MAX)
    {
      errno = ENAMETOOLONG;
      return -1;
    }
  return mkostemp (new, O_CLOEXEC);
}

bool
rewrite_end (int fd, const char *new, const char *path, bool good)
{
  int error = errno;
  /* The mode does not depend on the umask.  */
  if (good && (fchmod (fd, 0644) != 0 || fsync (fd) != 0))
    {
      good = false;
      error = errno;
    }
  if (close (fd) != 0 && good)
    {
      good = false;
      error = errno;
    }
  if (good && rename (new, path) == 0)
    return true;
  if (good)
    error = errno;
  unlink (new);
  errno = error;
  return false;
}

/* Write the SIZE bytes at DATA to FD.  */
static bool
write_all (int fd, const char *data, size_t size)
{
  while (size > 0)
    {
      ssize_t n = write (fd, data, size);
      if (n < 0 && errno != EINTR)
        return false;
      if (n > 0)
        {
          data += n;
          size -= n;
        }
    }
  return true;
}

bool
rewrite_data (const char *path, const void *data, size_t size)
{
  char folder[PATH_MAX], new[PATH_MAX];
  if (strlen (path) >= sizeof folder)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  strcpy (folder, path);
  int fd = rewrite_begin (dirname (folder), new);
  return fd >= 0 && rewrite_end (fd, new, path, write_all (fd, data, size));
}

bool
rewrite_file (const char *path, const char *text)
{
  return rewrite_data (path, text, strlen (text));
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
