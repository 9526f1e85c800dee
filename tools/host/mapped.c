/* Open a file that another process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel's link /proc/PID/map_files/START-END leads to the mapped file
   even if the file was renamed or deleted, but only privileged users may
   follow this link.  For users who may not follow this link, the command opens
   the file by the name that /proc/PID/maps shows.  The command looks for the
   name first below the root directory of process PID, then below its own root
   directory.  If PID runs in a chroot, /proc/PID/maps shows names relative to
   the command's root directory.  If PID is in another mount namespace,
   /proc/PID/maps shows names relative to the root directory of that namespace.
   The names in /proc/PID/maps have no symbolic links as components, so the
   command follows none (host/procfile.c).

   The device number in /proc/PID/maps may differ from the one that stat
   returns.  On btrfs the device numbers in /proc/PID/maps and from stat always
   differ.  On overlayfs, maps shows the device number of the lower filesystem.
   Before Linux 6.8 the maps file also shows the inode number of the lower
   filesystem.  Therefore the command itself maps the file that it has opened,
   and compares the device and inode numbers that /proc/self/maps shows for
   this mapping with those in /proc/PID/maps.  */

#include "host/mapped.h"
#include "host/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Return true if /proc/self/maps shows DEVICE and INODE for the file FD when
   this process maps it.  The function maps one page of the file FD with
   PROT_NONE, so it does not read the file's contents.  */
static bool
is_shown_as (int fd, dev_t device, ino_t inode)
{
  char path[64];
  struct procmaps maps;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  int readable
      = (fcntl (fd, F_GETFL) & O_PATH) == 0
            ? dup (fd)
            : open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (readable < 0)
    return false;
  size_t page = getpagesize ();
  void *start = mmap (NULL, page, PROT_NONE, MAP_PRIVATE, readable, 0);
  close (readable);
  if (start == MAP_FAILED)
    return false;
  bool same = false;
  if (procmaps_read (getpid (), &maps) == 0)
    {
      const struct mapping *map = procmaps_find (&maps, (uintptr_t) start);
      same = map != NULL && map->device == device && map->inode == inode;
      procmaps_free (&maps);
    }
  munmap (start, page);
  return same;
}

bool
mapped_is (int fd, dev_t device, ino_t inode)
{
  struct stat status;
  return (
      fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && ((status.st_dev == device && status.st_ino == inode)
          /* If the device is a disk, /proc/self/maps and stat show the same
             number.  */
          || (major (status.st_dev) == 0 && is_shown_as (fd, device, inode))));
}

/* mapped_open tries several ways to open a mapped file.  ERROR is the error
   that mapped_open would report if it stopped before WAY.  Return true if
   mapped_open should report the error of WAY instead of ERROR.  If the user
   may follow the link in /proc/PID/map_files, report the error from opening
   the link.  If the user must not follow the link, report the error from
   opening the file by its name below PID's root directory.  If PID's root
   directory does not contain the name, report the error from opening the file
   by its name below the command's root directory.  Never report the error of
   PROCFILE_BY_PROGRAM, because the process may have mapped another file than
   its program.  */
static bool
mapped_is_final_answer (enum procfile_way way, int error)
{
  return (way == PROCFILE_BY_MAP || (way == PROCFILE_BY_NAME && error == EPERM)
          || (way == PROCFILE_BY_OUR_NAME && error == ENOENT));
}

int
mapped_open (pid_t pid, const struct mapping *map, int flags)
{
  int error = EPERM;
  for (enum procfile_way way = 0; way < PROCFILE_WAYS; ++way)
    {
      int fd = procfile_mapped (way, pid, map, flags);
      if (fd >= 0 && mapped_is (fd, map->device, map->inode))
        return fd;
      const int failed = fd < 0 ? errno : ESTALE;
      if (mapped_is_final_answer (way, error))
        error = failed;
      if (fd >= 0)
        close (fd);
    }
  errno = error;
  return -1;
}

int
mapped_open_file (pid_t pid, const struct mapping *map)
{
  struct procmaps maps;
  int fd = mapped_open (pid, map, 0);
  if (fd >= 0 || procmaps_read (pid, &maps) < 0)
    return fd;
  const struct mapping *found = NULL;
  for (size_t i = 0; found == NULL && i < maps.count; ++i)
    if (maps.list[i].device == map->device && maps.list[i].inode == map->inode)
      found = &maps.list[i];
  if (found != NULL && (found->start != map->start || found->end != map->end))
    fd = mapped_open (pid, found, 0);
  procmaps_free (&maps);
  return fd;
}
