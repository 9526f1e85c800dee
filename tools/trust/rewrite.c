/* Replace a file atomically: a reader gets the complete old file or the
   complete new one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "trust/rewrite.h"
#include "trust/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_NAME ".new-hugetext-"

bool
rewrite_directory (const char *path, int *made, struct problem *problem)
{
  int ignored = 0;
  const int dir
      = trusted_directory (path, made != NULL ? made : &ignored, problem);
  if (dir >= 0)
    close (dir);
  return dir >= 0;
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

/* Begin a new file in the directory DIR, and set NEW to its temporary
   name.  */
static int
begin_in (int dir, char new[static NAME_MAX])
{
  uint64_t number;
  if (getrandom (&number, sizeof number, 0) != sizeof number)
    return -1;
  snprintf (new, NAME_MAX, NEW_NAME "%016jx", (uintmax_t) number);
  return openat (dir, new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 0600);
}

/* Finish the new file FD of the directory DIR like rewrite_end.  The new file
   has the mode MODE, independent of the umask.  */
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

/* Close the directory DIR without changing errno.  */
static void
rewrite_close_directory (int dir)
{
  const int error = errno;
  close (dir);
  errno = error;
}

bool
rewrite_begin (struct rewrite *file, const char *directory,
               struct problem *problem)
{
  file->dir = trusted_directory (directory, NULL, problem);
  if (file->dir < 0)
    {
      errno = EACCES;
      return false;
    }
  file->fd = begin_in (file->dir, file->new);
  if (file->fd >= 0)
    return true;
  rewrite_close_directory (file->dir);
  return problem_system (problem, errno);
}

bool
rewrite_end (struct rewrite *file, const char *name, bool good)
{
  good = end_in (file->dir, file->fd, file->new, name, good, 0644);
  rewrite_close_directory (file->dir);
  return good;
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

/* Open the directory of the file PATH, and set NAME to the file's name.
   Return -1 with PROBLEM set.  */
static int
open_parent (const char *path, const char **name, struct problem *problem)
{
  char directory[PATH_MAX];
  const char *slash = strrchr (path, '/');
  if (strlen (path) >= sizeof directory)
    {
      problem_system (problem, ENAMETOOLONG);
      return -1;
    }
  *name = slash != NULL ? slash + 1 : path;
  return trusted_directory (dirname (strcpy (directory, path)), NULL, problem);
}

bool
rewrite_data (const char *path, const void *data, size_t size,
              struct problem *problem)
{
  const char *name;
  const int dir = open_parent (path, &name, problem);
  if (dir < 0)
    return false;
  const bool good = (rewrite_in (dir, name, true, data, size)
                     || problem_system (problem, errno));
  close (dir);
  return good;
}

bool
rewrite_remove (const char *path, struct problem *problem)
{
  const char *name;
  struct stat status;
  /* If the file does not exist, do not try to remove it, because unlinkat may
     then fail with an error other than ENOENT, for example on a read-only
     filesystem.  */
  if (lstat (path, &status) < 0)
    return (errno == ENOENT || errno == ENOTDIR
            || problem_system (problem, errno));
  const int dir = open_parent (path, &name, problem);
  if (dir < 0)
    return false;
  const bool good = (unlinkat (dir, name, 0) == 0 || errno == ENOENT
                     || problem_system (problem, errno));
  close (dir);
  return good;
}

/* Open the directory DIRECTORY to read its entries.  */
static DIR *
open_entries (const char *directory)
{
  struct problem ignored;
  const int place = trusted_directory (directory, NULL, &ignored);
  if (place < 0)
    return NULL;
  const int fd = openat (place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close (place);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  if (dir == NULL && fd >= 0)
    close (fd);
  return dir;
}

void
rewrite_clean (const char *directory)
{
  DIR *dir = open_entries (directory);
  if (dir == NULL)
    return;
  for (struct dirent *entry; (entry = readdir (dir)) != NULL;)
    if (strncmp (entry->d_name, NEW_NAME, strlen (NEW_NAME)) == 0)
      unlinkat (dirfd (dir), entry->d_name, 0);
  closedir (dir);
}
