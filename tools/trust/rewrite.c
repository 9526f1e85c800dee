/* Replace a file atomically: a reader gets the complete old file or the
   complete new one.
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
#include <sys/random.h>
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
  /* Do not use chmod: another user may have replaced the directory by a
     link.  */
  const mode_t mask = umask (022);
  const bool good = mkdir (path, 0755) == 0;
  umask (mask);
  if (good && made != NULL)
    ++*made;
  return good || errno == EEXIST;
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

/* Do what rewrite_end does, in the directory DIR.  The new file has the mode
   MODE, independent of the umask.  */
static bool
end_in (int dir, int fd, const char *new, const char *name, bool good,
        mode_t mode)
{
  good = (good && fchmod (fd, mode) == 0 && fsync (fd) == 0
          && renameat (dir, new, dir, name) == 0);
  int error = errno;
  close (fd);
  if (!good)
    unlinkat (dir, new, 0);
  errno = error;
  return good;
}

bool
rewrite_end (int fd, const char *new, const char *path, bool good)
{
  return end_in (AT_FDCWD, fd, new, path, good, 0644);
}

/* Begin a new file in the directory DIR, and set NEW to its temporary
   name.  */
static int
begin_in (int dir, char new[static NAME_MAX])
{
  uint64_t number;
  if (getrandom (&number, sizeof number, 0) != sizeof number)
    return -1;
  snprintf (new, NAME_MAX, NEW_NAME "%016jx", (uintmax_t) number);
  return openat (dir, new,
                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool
rewrite_in (int dir, const char *name, bool everybody, const void *data,
            size_t size)
{
  char new[NAME_MAX];
  const int fd = begin_in (dir, new);
  return (fd >= 0
          && end_in (dir, fd, new, name, rewrite_at (fd, data, size, 0),
                     everybody ? 0644 : 0600));
}

bool
rewrite_data (const char *path, const void *data, size_t size)
{
  char folder[PATH_MAX];
  const char *slash = strrchr (path, '/');
  snprintf (folder, sizeof folder, "%s", path);
  const int dir = open (dirname (folder), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0)
    return false;
  const bool good
      = rewrite_in (dir, slash != NULL ? slash + 1 : path, true, data, size);
  const int error = errno;
  close (dir);
  errno = error;
  return good;
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
