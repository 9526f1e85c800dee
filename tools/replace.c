/* Put a copy of a file in its place, so that there is the old file or the new
   one at any moment, and nothing else.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The copy has no name until it is complete, on the disk and like the old file
   in everything; then it has one beside it for the moment until it is renamed.
   That name follows from the file's, so that what a kill in that moment has
   left is found the next time.  */

#include "replace.h"
#include "attributes.h"
#include "overmounts.h"
#include "packages.h"
#include "procmaps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *__attribute__ ((format (printf, 1, 2)))
because (const char *format, ...)
{
  static char text[512];
  va_list ap;
  va_start (ap, format);
  vsnprintf (text, sizeof text, format, ap);
  va_end (ap);
  return text;
}

/* Whether the file with STATUS is swapped to.  */
static bool
is_swap (const struct stat *status)
{
  char *line = NULL, *name = NULL;
  size_t size = 0;
  bool found = false;
  FILE *stream = fopen ("/proc/swaps", "re");
  if (stream == NULL)
    return false;
  while (!found && getline (&line, &size, stream) > 0)
    {
      struct stat swap;
      if (sscanf (line, "%ms file", &name) != 1)
        continue;
      found = stat (name, &swap) == 0 && swap.st_ino == status->st_ino
              && swap.st_dev == status->st_dev;
      free (name);
    }
  free (line);
  fclose (stream);
  return found;
}

/* Why the file of R is not to be replaced, whatever it holds.  */
static const char *
refuse_file (const struct replacement *r)
{
  const struct stat *status = &r->status;
  if (!S_ISREG (status->st_mode))
    return "it is no regular file";
  if (status->st_nlink > 1)
    return because ("it has %ju names (hard links), of which one would get"
                    " the copy",
                    (uintmax_t)status->st_nlink);
  if (geteuid () != 0 && geteuid () != status->st_uid)
    return because ("it belongs to user %ju: try as root",
                    (uintmax_t)status->st_uid);
  const char *problem = attributes_refuse (r->old);
  if (problem != NULL)
    return problem;
  if (is_swap (status))
    return "it is swapped to";
  const char *where = overmounts_find (r->path);
  return where == NULL
             ? NULL
             : because ("a mount lies over it %s, which would be lost",
                        where);
}

/* Why there is no room for a copy of the file of R.  */
static const char *
refuse_place (const struct replacement *r)
{
  struct statvfs place;
  if (fstatvfs (r->directory, &place) != 0)
    return because ("its directory: %s", strerror (errno));
  if ((place.f_flag & ST_RDONLY) != 0)
    return "its filesystem is read-only";
  if (faccessat (r->directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
    return because ("its directory cannot be written to: %s",
                    strerror (errno));
  /* What the filesystem takes for itself is a small part of that.  */
  uint64_t need = (uint64_t)r->status.st_size + r->status.st_size / 64
                  + 2 * procmaps_block ();
  uint64_t have = (uint64_t)place.f_bavail * place.f_frsize;
  return have >= need ? NULL
                      : because ("its filesystem has only %ju MiB left, and"
                                 " the copy takes %ju",
                                 (uintmax_t)(have >> 20),
                                 (uintmax_t)((need >> 20) + 1));
}

/* Have it to ourselves: no other of us is at it, and nobody writes.  */
static const char *
take_file (struct replacement *r)
{
  if (flock (r->old, LOCK_EX | LOCK_NB) != 0)
    return "another process has it locked (flock)";
  /* Who opens it for writing waits for the end of the lease, and we learn
     it.  */
  signal (SIGIO, SIG_IGN);
  r->leased = fcntl (r->old, F_SETLEASE, F_RDLCK) == 0;
  return !r->leased && errno == EAGAIN ? "somebody has it open for writing"
                                       : NULL;
}

/* Whether somebody wants to write to the file of R.  */
static bool
is_wanted (const struct replacement *r)
{
  return r->leased && fcntl (r->old, F_GETLEASE) != F_RDLCK;
}

/* Open the directory of R, and find names.  */
static const char *
find_names (struct replacement *r)
{
  const char *slash = strrchr (r->path, '/');
  size_t length = strlen (slash + 1);
  char *directory = strndup (r->path, slash == r->path ? 1 : slash - r->path);
  if (directory == NULL || length > NAME_MAX)
    {
      free (directory);
      return strerror (ENAMETOOLONG);
    }
  r->directory = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free (directory);
  if (r->directory < 0)
    return because ("its directory: %s", strerror (errno));
  strcpy (r->name, slash + 1);
  static const char suffix[] = ".hugetext-prime";
  if (length + sizeof suffix < sizeof r->temporary)
    {
      r->temporary[0] = '.';
      strcpy (stpcpy (r->temporary + 1, r->name), suffix);
    }
  else
    snprintf (r->temporary, sizeof r->temporary, ".%ju%s",
              (uintmax_t)r->status.st_ino, suffix);
  return NULL;
}

const char *
replace_begin (struct replacement *r, const char *path, int fd)
{
  *r = (struct replacement){
    .path = path, .old = fd, .new = -1, .directory = -1
  };
  if (fstat (fd, &r->status) != 0)
    return strerror (errno);
  const char *problem = find_names (r);
  if (problem == NULL)
    problem = refuse_file (r);
  if (problem == NULL)
    problem = refuse_place (r);
  if (problem == NULL)
    problem = packages_lock ();
  return problem != NULL ? problem : take_file (r);
}

/* Remove what a process of ours that was killed has left for R.  */
static const char *
remove_left (const struct replacement *r)
{
  struct stat left;
  if (fstatat (r->directory, r->temporary, &left, AT_SYMLINK_NOFOLLOW) != 0)
    return NULL;
  if (!S_ISREG (left.st_mode) || left.st_nlink != 1
      || (left.st_uid != geteuid () && left.st_uid != r->status.st_uid)
      || unlinkat (r->directory, r->temporary, 0) != 0)
    return because ("%s is in the way of its copy", r->temporary);
  return NULL;
}

/* Make a file for the copy, without a name where the filesystem can.  */
static const char *
make_file (struct replacement *r)
{
  const char *problem = remove_left (r);
  if (problem != NULL)
    return problem;
  r->new = openat (r->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (r->new < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
    r->new = openat (r->directory, r->temporary,
                     O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  return r->new >= 0 ? NULL
                     : because ("no copy can be made: %s", strerror (errno));
}

/* Read SIZE bytes at OFFSET of FD, or to its end.  Returns how many, -1 with
   errno set.  */
static ssize_t
read_all (int fd, char *to, size_t size, uint64_t offset)
{
  size_t done = 0;
  while (done < size)
    {
      ssize_t n = pread (fd, to + done, size - done, offset + done);
      if (n < 0 && errno != EINTR)
        return -1;
      if (n == 0)
        break;
      done += n > 0 ? n : 0;
    }
  return done;
}

static bool
write_all (int fd, const char *from, size_t size, uint64_t offset)
{
  for (size_t done = 0; done < size;)
    {
      ssize_t n = pwrite (fd, from + done, size - done, offset + done);
      if (n < 0 && errno != EINTR)
        return false;
      done += n > 0 ? n : 0;
    }
  return true;
}

/* Write the contents, in writes of a whole block: then what the kernel caches
   of them is huge at once.  */
static const char *
write_contents (struct replacement *r, char *buffer, size_t block)
{
  for (uint64_t at = 0; at < (uint64_t)r->status.st_size; at += block)
    {
      ssize_t n = read_all (r->old, buffer, block, at);
      if (n < 0)
        return because ("it cannot be read: %s", strerror (errno));
      if (!write_all (r->new, buffer, n, at))
        return because ("its copy cannot be written: %s", strerror (errno));
    }
  return NULL;
}

/* See that both have the same contents.  */
static const char *
compare_contents (struct replacement *r, char *buffer, size_t block)
{
  struct stat now;
  if (fstat (r->new, &now) != 0 || now.st_size != r->status.st_size)
    return "its copy has another size";
  for (uint64_t at = 0; at < (uint64_t)r->status.st_size; at += block)
    {
      ssize_t n = read_all (r->old, buffer, block, at);
      ssize_t m = read_all (r->new, buffer + block, block, at);
      if (n < 0 || n != m || memcmp (buffer, buffer + block, n) != 0)
        return "its copy is different";
    }
  return NULL;
}

/* See that the file of R is the one with that name, and has not changed.  */
static const char *
is_changed (const struct replacement *r)
{
  struct stat now, named;
  if (fstat (r->old, &now) != 0
      || fstatat (r->directory, r->name, &named, AT_SYMLINK_NOFOLLOW) != 0)
    return strerror (errno);
  return named.st_ino != now.st_ino || named.st_dev != now.st_dev
                 || now.st_size != r->status.st_size
                 || now.st_nlink != r->status.st_nlink
                 || now.st_ctim.tv_sec != r->status.st_ctim.tv_sec
                 || now.st_ctim.tv_nsec != r->status.st_ctim.tv_nsec
                 || is_wanted (r)
             ? "it was changed meanwhile"
             : NULL;
}

const char *
replace_copy (struct replacement *r)
{
  const size_t block = procmaps_block ();
  char *buffer = aligned_alloc (block, 2 * block);
  const char *problem
      = buffer == NULL ? strerror (ENOMEM) : make_file (r);
  if (problem == NULL)
    problem = write_contents (r, buffer, block);
  if (problem == NULL)
    problem = compare_contents (r, buffer, block);
  if (problem == NULL)
    problem = attributes_copy (r->old, &r->status, r->new);
  if (problem == NULL && fsync (r->new) != 0)
    problem = because ("its copy cannot be written: %s", strerror (errno));
  free (buffer);
  return problem;
}

/* Give the copy of R its name for the moment, if it has none.  */
static const char *
link_copy (struct replacement *r)
{
  char path[64];
  struct stat status;
  if (fstat (r->new, &status) == 0 && status.st_nlink > 0)
    return NULL;
  snprintf (path, sizeof path, "/proc/self/fd/%d", r->new);
  return linkat (AT_FDCWD, path, r->directory, r->temporary,
                 AT_SYMLINK_FOLLOW)
                 == 0
             ? NULL
             : because ("its copy gets no name: %s", strerror (errno));
}

const char *
replace_commit (struct replacement *r)
{
  const char *problem = is_changed (r);
  if (problem == NULL)
    problem = link_copy (r);
  if (problem != NULL)
    return problem;
  if (renameat (r->directory, r->temporary, r->directory, r->name) != 0)
    return because ("its copy cannot take its name: %s", strerror (errno));
  /* From here on it is done, however long the disk takes.  */
  fsync (r->directory);
  return NULL;
}

void
replace_end (struct replacement *r)
{
  struct stat named, new;
  if (r->new >= 0)
    {
      if (fstat (r->new, &new) == 0
          && fstatat (r->directory, r->temporary, &named, AT_SYMLINK_NOFOLLOW)
                 == 0
          && named.st_ino == new.st_ino && named.st_dev == new.st_dev)
        unlinkat (r->directory, r->temporary, 0);
      close (r->new);
    }
  if (r->directory >= 0)
    close (r->directory);
  /* Of a file that is not closed yet.  */
  if (r->leased)
    fcntl (r->old, F_SETLEASE, F_UNLCK);
  flock (r->old, LOCK_UN);
  packages_unlock ();
  r->new = r->directory = -1;
}
