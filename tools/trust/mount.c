/* Mounts: find out whether root trusts the filesystem that a file is on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The provider of a filesystem, such as the server of a FUSE mount or the
   owner of a disk, controls what stat, statfs and open return for its files,
   and how long these calls take.  To avoid untrusted filesystems, root looks
   up each filesystem in the kernel's table of mounts before root accesses the
   filesystem.  Reading the table of mounts accesses none of the listed
   filesystems.

   Root trusts a mount under two conditions: the type of its filesystem is
   listed in trust/filesystems.def, and at least one mount of the filesystem
   does not have the option nosuid.  Only root can mount a filesystem without
   nosuid.  If root mounts a filesystem without nosuid, root accepts even
   set-user-ID programs from the filesystem's provider.  Disks of other users
   are mounted with nosuid (udisks, and "user" in fstab(5)), and fusermount
   also mounts with nosuid.  In a user namespace ordinary users can mount
   tmpfs, overlayfs and FUSE, but mounts in a user's namespace are not visible
   in root's own namespace.  */

#include "trust/mount.h"
#include "util/printable.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int
mount_ask (int fd)
{
#ifdef STATX_MNT_ID
  struct statx status;
  if (statx (fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &status)
          == 0
      && (status.stx_mask & STATX_MNT_ID) != 0)
    return status.stx_mnt_id;
#endif
  (void) fd;
  return -1;
}

int
mount_number (int fd)
{
  char path[64], line[128];
  int number = -1;
  snprintf (path, sizeof path, "/proc/self/fdinfo/%d", fd);
  FILE *stream = fopen (path, "re");
  /* Before Linux 5.14, a process that has given up root's rights may not read
     its own fdinfo.  */
  if (stream == NULL)
    return mount_ask (fd);
  while (fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "mnt_id: %d", &number) == 1)
      break;
  fclose (stream);
  return number;
}

/* Return true if WORD is in LIST, which is separated by commas.  */
static bool
has_word (const char *list, const char *word)
{
  const size_t length = strlen (word);
  for (; list != NULL; list = strchr (list, ','))
    {
      list += *list == ',';
      if (strncmp (list, word, length) == 0
          && (list[length] == ',' || list[length] == '\0'))
        return true;
    }
  return false;
}

bool
mount_read (FILE *stream, char **line, size_t *room, struct mount *mount)
{
  while (getline (line, room, stream) > 0)
    {
      char *rest = *line, *field[6] = { NULL };
      unsigned int major, minor;
      const char *type = strstr (*line, " - ");
      if (sscanf (*line, "%d %*d %u:%u", &mount->number, &major, &minor) != 3
          || type == NULL || sscanf (type, " - %63s", mount->type) != 1)
        continue;
      for (size_t i = 0; i < sizeof field / sizeof *field; ++i)
        field[i] = strsep (&rest, " ");
      if (field[5] == NULL)
        continue;
      mount->device = makedev (major, minor);
      mount->root = field[3];
      mount->place = field[4];
      mount->nosuid = has_word (field[5], "nosuid");
      return true;
    }
  return false;
}

/* Return true if root can trust a filesystem of this TYPE that root has
   mounted.  */
static bool
is_local (const char *type)
{
  static const char *const types[] = {
#define FILESYSTEM(name, magic) name,
#include "trust/filesystems.def"
#undef FILESYSTEM
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    if (strcmp (types[i], type) == 0)
      return true;
  return false;
}

bool
mount_has_device (FILE *stream, dev_t device)
{
  struct mount mount;
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  while (!found && mount_read (stream, &line, &room, &mount))
    found = (!mount.nosuid && is_local (mount.type) && mount.device == device);
  free (line);
  return found;
}

/* Return false and set PROBLEM if root does not trust the filesystem of the
   mount whose ID is WANTED.  If OWN is true, only root can have mounted the
   filesystem.  STREAM is the table of mounts.  */
static bool
mount_judge_mount (FILE *stream, int wanted, bool own, struct problem *problem)
{
  struct mount mount, found = { .number = -1 };
  char *line = NULL;
  size_t room = 0;
  while (found.number != wanted && mount_read (stream, &line, &room, &mount))
    if (mount.number == wanted)
      found = mount;
  free (line);
  if (found.number != wanted)
    return problem_set_fault (problem, FAULT_MOUNT,
                              "the kernel's table of mounts does not list "
                              "the filesystem of the file");
  if (!is_local (found.type))
    {
      char text[128];
      printable_string (found.type);
      snprintf (text, sizeof text,
                "the file is on a filesystem that root does not trust (%s)",
                found.type);
      return problem_set_fault (problem, FAULT_MOUNT, text);
    }
  /* Root also trusts the filesystem if another mount of it does not have the
     option nosuid.  */
  rewind (stream);
  return own || mount_has_device (stream, found.device)
         || problem_set_fault (problem, FAULT_MOUNT,
                               "the file is on a filesystem that root does "
                               "not trust, because the filesystem is mounted "
                               "nosuid (as removable disks of users are)");
}

/* Look up in the table of mounts whether root trusts the filesystem of the
   mount NUMBER; if root does not trust it, return false and set PROBLEM.  If
   OWN is true, only root can have mounted the filesystem.  */
static bool
mount_look_up_mount (int number, bool own, struct problem *problem)
{
  FILE *stream = number >= 0 ? fopen ("/proc/self/mountinfo", "re") : NULL;
  if (stream == NULL)
    return problem_set (problem,
                        "/proc does not show on which filesystem the file is");
  const bool good = mount_judge_mount (stream, number, own, problem);
  fclose (stream);
  return good;
}

bool
mount_check (int fd, int number, struct problem *problem)
{
  /* Mounts known to be trusted.  A descriptor for each mount is kept open, so
     that the kernel does not reuse the mount's ID.  */
  static struct
  {
    int number, fd;
  } known[16];
  static size_t count;
  for (size_t i = 0; i < count; ++i)
    if (known[i].number == number)
      return true;
  const bool good = mount_look_up_mount (number, false, problem);
  int kept = good && count < sizeof known / sizeof known[0]
                 ? fcntl (fd, F_DUPFD_CLOEXEC, 3)
                 : -1;
  if (kept >= 0)
    {
      known[count].number = number;
      known[count++].fd = kept;
    }
  return good;
}

bool
mount_check_own (int fd, int number)
{
  struct problem ignored;
  return (mount_check (fd, number, &ignored)
          || mount_look_up_mount (number, true, &ignored));
}
