/* The origin of a bind-mounted file: the path of the same file in the
   directory from which it was bind-mounted.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If this loader is bind-mounted over the system's loader, its path is the
   path of the system's loader, and the directory of this path has no files of
   ld-hugetext.  For each mount, /proc/self/mountinfo shows which path within
   the filesystem is mounted, and where (proc(5)).  The directory from which
   the loader is bind-mounted usually is in another mount of the same
   filesystem.  The line of this other mount in mountinfo contains the mount
   point, from which the loader computes the path of the directory.  The loader
   accepts the computed path only if it leads to the bind-mounted file itself,
   because a further mount may cover the directory.  */

#include <string.h>
#include <sys/stat.h>

#include <dl-hugetext-sys.h>

#include "dl-hugetext-origin.h"
#include "dl-hugetext-procfile.h"

/* Set STATUS to the file status of PATH.  Return false if stat fails.  */
static bool
get_status (const char *path, struct stat64 *status)
{
  long int fd = sys_open (path);
  if (sys_failed (fd))
    return false;
  bool known = __fstat64 (fd, status) == 0;
  sys_close (fd);
  return known;
}

bool
_dl_hugetext_same_file (const char *a, const char *b)
{
  struct stat64 x, y;
  return (get_status (a, &x) && get_status (b, &y) && x.st_dev == y.st_dev
          && x.st_ino == y.st_ino);
}

/* The state of a search for the origin of FILE: the path in the directory from
   which FILE is bind-mounted.  */
struct search
{
  const char *file;
  size_t mount;                  /* The ID of the mount that FILE is on.  */
  char device[24];               /* MAJOR:MINOR of the filesystem of FILE.  */
  char root[HUGETEXT_PATH_SIZE]; /* The path of FILE within the filesystem.  */
  char *path;                    /* The path that the search has found.  */
};

/* Copy the field at the beginning of *TEXT to FIELD, of SIZE bytes, and
   advance *TEXT past the field and the following blank.  Return false if FIELD
   is too short.  If a path contains a blank, the kernel writes the blank as
   \040.  */
static bool
origin_take_field (const char **text, char *field, size_t size)
{
  size_t n = 0;
  for (; **text != ' ' && **text != '\0'; ++n)
    {
      const char *t = *text;
      char c = *t;
      if (c == '\\' && t[1] != '\0' && t[2] != '\0' && t[3] != '\0')
        {
          c = (t[1] - '0') << 6 | (t[2] - '0') << 3 | (t[3] - '0');
          *text += 3;
        }
      ++*text;
      if (n + 1 >= size)
        return false;
      field[n] = c;
    }
  field[n] = '\0';
  *text += **text == ' ';
  return true;
}

/* Parse the first fields of a line of mountinfo at *LINE, and advance *LINE
   past them.  Set NUMBER to the mount's ID, DEVICE to the device number of its
   filesystem, and ROOT to the path, within this filesystem, of the directory
   or file that is mounted.  Return false if a field does not fit.  */
static bool
take_mount (const char **line, size_t *number, char device[24],
            char root[HUGETEXT_PATH_SIZE])
{
  char parent[24];
  *number = _dl_hugetext_take_number (line, 10);
  *line += **line == ' ';
  return (origin_take_field (line, parent, sizeof parent)
          && origin_take_field (line, device, 24)
          && origin_take_field (line, root, HUGETEXT_PATH_SIZE));
}

/* Parse LINE of mountinfo.  If LINE describes the mount that the file itself
   is on, note the facts about this mount in the search CLOSURE and return
   true.  */
static bool
take_own (void *closure, const char *line)
{
  struct search *search = closure;
  size_t number;
  return (take_mount (&line, &number, search->device, search->root)
          && number == search->mount);
}

/* Parse LINE of mountinfo.  If LINE describes a mount that contains the
   directory from which the file is bind-mounted, set the search's PATH to the
   path of the file in this directory and return true.  */
static bool
take_other (void *closure, const char *line)
{
  struct search *search = closure;
  size_t number, length, at;
  char device[24], root[HUGETEXT_PATH_SIZE];
  if (!take_mount (&line, &number, device, root) || number == search->mount
      || strcmp (device, search->device) != 0
      || !origin_take_field (&line, search->path, HUGETEXT_PATH_SIZE))
    return false;
  /* Take the length of the path "/" as 0, because the next part of the path
     begins with a slash.  ROOT is "/" if the mount shows the whole filesystem.
     The mount point is "/" if the mount is the root directory.  */
  length = root[1] != '\0' ? strlen (root) : 0;
  at = search->path[1] != '\0' ? strlen (search->path) : 0;
  if (strncmp (root, search->root, length) != 0 || search->root[length] != '/'
      || at + strlen (search->root + length) >= HUGETEXT_PATH_SIZE)
    return false;
  strcpy (search->path + at, search->root + length);
  return _dl_hugetext_same_file (search->path, search->file);
}

/* Parse LINE of /proc/self/fdinfo/FD.  If LINE contains the mount ID, note the
   ID and return true.  */
static bool
origin_take_number (void *closure, const char *line)
{
  struct search *search = closure;
  if (strncmp (line, "mnt_id:", 7) != 0)
    return false;
  line += 7;
  search->mount = _dl_hugetext_take_number (&line, 10);
  return true;
}

/* Find out which mount the file of SEARCH is on, and note the ID of this mount
   in SEARCH.  */
static bool
find_mount (struct search *search, char *buffer, size_t size)
{
  char path[48] = "/proc/self/fdinfo/", digits[20];
  size_t n = sizeof digits, length = strlen (path);
  long int fd = sys_open (search->file);
  if (sys_failed (fd))
    return false;
  unsigned long int rest = fd;
  do
    digits[--n] = '0' + rest % 10;
  while ((rest /= 10) != 0);
  memcpy (path + length, digits + n, sizeof digits - n);
  path[length + sizeof digits - n] = '\0';
  long int found = _dl_hugetext_read_lines (path, buffer, size,
                                            origin_take_number, search);
  sys_close (fd);
  return found == 1;
}

bool
_dl_hugetext_find_origin (const char *file, char path[HUGETEXT_PATH_SIZE])
{
  static const char mounts[] = "/proc/self/mountinfo";
  struct search search = { .file = file, .path = path };
  char buffer[2048];
  const size_t size = sizeof buffer;
  return (
      find_mount (&search, buffer, size)
      && _dl_hugetext_read_lines (mounts, buffer, size, take_own, &search) == 1
      && _dl_hugetext_read_lines (mounts, buffer, size, take_other, &search)
             == 1);
}
