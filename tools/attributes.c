/* Give a new file all that an old one has beside its contents.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attributes.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *__attribute__ ((format (printf, 1, 2)))
because (const char *format, ...)
{
  static char text[384];
  va_list ap;
  va_start (ap, format);
  vsnprintf (text, sizeof text, format, ap);
  va_end (ap);
  return text;
}

/* What chattr(1) sets, and the project of FD.  What a filesystem does not know
   stays 0.  */
struct flags
{
  long flags;
  struct fsxattr more;
};

static struct flags
read_flags (int fd)
{
  struct flags flags = { 0 };
  int value = 0;
  if (ioctl (fd, FS_IOC_GETFLAGS, &value) == 0)
    flags.flags = value;
  if (ioctl (fd, FS_IOC_FSGETXATTR, &flags.more) != 0)
    flags.more = (struct fsxattr){ 0 };
  /* How many pieces it is in on the disk.  */
  flags.more.fsx_nextents = 0;
  return flags;
}

const char *
attributes_refuse (int fd)
{
  long flags = read_flags (fd).flags;
  return (flags & FS_IMMUTABLE_FL) != 0 ? "it is immutable (chattr -i)"
         : (flags & FS_APPEND_FL) != 0
             ? "it may only be appended to (chattr -a)"
         : (flags & FS_VERITY_FL) != 0
             ? "it is sealed by fs-verity, which a copy would not be"
             : NULL;
}

static const char *
copy_flags (int from, int to)
{
  struct flags old = read_flags (from), new = read_flags (to);
  if (old.flags != new.flags)
    {
      int value = old.flags;
      if (ioctl (to, FS_IOC_SETFLAGS, &value) != 0)
        return because ("its flags (lsattr) cannot be kept: %s",
                        strerror (errno));
      new = read_flags (to);
    }
  if (memcmp (&old.more, &new.more, sizeof old.more) != 0)
    {
      if (ioctl (to, FS_IOC_FSSETXATTR, &old.more) != 0)
        return because ("its project or extent sizes cannot be kept: %s",
                        strerror (errno));
      new = read_flags (to);
    }
  return old.flags != new.flags
                 || memcmp (&old.more, &new.more, sizeof old.more) != 0
             ? "its flags (lsattr -p) cannot be kept"
             : NULL;
}

/* The names of the extended attributes of FD, each with its '\0', in *NAMES,
   to be freed.  Returns their length, -1 with errno set.  */
static ssize_t
list_names (int fd, char **names)
{
  ssize_t size = flistxattr (fd, NULL, 0);
  *names = NULL;
  if (size < 0 && errno == ENOTSUP)
    return 0;
  if (size <= 0)
    return size;
  *names = malloc (size);
  return *names != NULL ? flistxattr (fd, *names, size) : -1;
}

/* The value of FD's attribute NAME in *VALUE, to be freed.  Returns its
   length, -1 with errno set.  */
static ssize_t
read_value (int fd, const char *name, char **value)
{
  ssize_t size = fgetxattr (fd, name, NULL, 0);
  *value = size >= 0 ? malloc (size + 1) : NULL;
  return *value != NULL ? fgetxattr (fd, name, *value, size) : -1;
}

/* Whether both files have the same value of the attribute NAME.  */
static bool
same_value (int from, int to, const char *name)
{
  char *old, *new;
  ssize_t size = read_value (from, name, &old);
  bool same = size >= 0 && read_value (to, name, &new) == size;
  if (size >= 0)
    {
      same = same && memcmp (old, new, size) == 0;
      free (new);
    }
  free (old);
  return same;
}

/* Set attribute NAME of TO as FROM has it.  */
static const char *
copy_value (int from, int to, const char *name)
{
  char *value;
  ssize_t size = read_value (from, name, &value);
  bool good = size >= 0;
  if (good && !same_value (from, to, name))
    good = fsetxattr (to, name, value, size, 0) == 0;
  int error = errno;
  free (value);
  if (!good)
    return because ("its attribute %s cannot be kept: %s", name,
                    strerror (error));
  return NULL;
}

/* Whether NAME is among the SIZE bytes NAMES.  */
static bool
is_among (const char *name, const char *names, ssize_t size)
{
  for (const char *n = names; n < names + size; n += strlen (n) + 1)
    if (strcmp (n, name) == 0)
      return true;
  return false;
}

/* Remove from TO, which has NEW, what it has got by itself and is not in the
   SIZE bytes OLD: by a default access control list of the directory, say.  */
static const char *
remove_others (int to, const char *new, ssize_t new_size, const char *old,
               ssize_t size)
{
  for (const char *n = new; n < new + new_size; n += strlen (n) + 1)
    if (!is_among (n, old, size) && fremovexattr (to, n) != 0)
      return because ("its copy gets an attribute %s: %s", n,
                      strerror (errno));
  return NULL;
}

static const char *
copy_values (int from, int to)
{
  char *old, *new;
  ssize_t size = list_names (from, &old), new_size = list_names (to, &new);
  const char *problem = NULL;
  if (size < 0 || new_size < 0)
    problem = because ("its attributes cannot be listed: %s",
                       strerror (errno));
  else
    problem = remove_others (to, new, new_size, old, size);
  for (const char *n = old; problem == NULL && n < old + size;
       n += strlen (n) + 1)
    problem = copy_value (from, to, n);
  free (old);
  free (new);
  return problem;
}

/* See that FROM and TO have the same attributes: one may have changed
   another.  */
static const char *
compare_values (int from, int to)
{
  char *old, *new;
  ssize_t size = list_names (from, &old), new_size = list_names (to, &new);
  const char *problem = NULL;
  if (size < 0 || new_size < 0)
    problem = because ("its attributes cannot be listed: %s",
                       strerror (errno));
  for (const char *n = new; problem == NULL && n < new + new_size;
       n += strlen (n) + 1)
    if (!is_among (n, old, size))
      problem = because ("its copy gets an attribute %s", n);
  for (const char *n = old; problem == NULL && n < old + size;
       n += strlen (n) + 1)
    if (!is_among (n, new, new_size) || !same_value (from, to, n))
      problem = because ("its attribute %s cannot be kept", n);
  free (old);
  free (new);
  return problem;
}

/* See that TO is as STATUS, but for its contents.  */
static const char *
compare_status (const struct stat *status, int to)
{
  struct stat now;
  if (fstat (to, &now) != 0)
    return strerror (errno);
  return now.st_uid != status->st_uid || now.st_gid != status->st_gid
             ? "its owner cannot be kept"
         : now.st_mode != status->st_mode ? "its mode cannot be kept"
         : now.st_mtim.tv_sec != status->st_mtim.tv_sec
                 || now.st_mtim.tv_nsec != status->st_mtim.tv_nsec
             ? "its time of modification cannot be kept"
             : NULL;
}

const char *
attributes_copy (int from, const struct stat *status, int to)
{
  const struct timespec times[] = { status->st_atim, status->st_mtim };
  /* A change of owner takes away rights in mode and attributes; access
     control lists change the mode.  */
  if (fchown (to, status->st_uid, status->st_gid) != 0)
    return because ("its owner cannot be kept: %s", strerror (errno));
  const char *problem = copy_values (from, to);
  if (problem == NULL && fchmod (to, status->st_mode & 07777) != 0)
    problem = because ("its mode cannot be kept: %s", strerror (errno));
  if (problem == NULL)
    problem = copy_flags (from, to);
  if (problem == NULL && futimens (to, times) != 0)
    problem = because ("its times cannot be kept: %s", strerror (errno));
  if (problem == NULL)
    problem = compare_values (from, to);
  return problem != NULL ? problem : compare_status (status, to);
}
