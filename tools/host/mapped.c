/* Mapped files: the command opens a file that a process has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel has a link to the file, /proc/PID/map_files/START-END, which
   leads to it whatever its present name; only privileged users may follow it.
   Others use the name, in the process's root directory or, where the kernel
   shows names from our point of view, in ours (chroot), and through no
   symbolic link: the kernel's names have none.

   The device in /proc/PID/maps may differ from stat's: on btrfs it always
   does, on overlayfs it is the lower filesystem's, before Linux 6.8 with the
   lower inode.  A mapping of our own shows the same device as the
   process's.  */

#include "host/mapped.h"
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Whether /proc/self/maps shows the file FD, mapped by this process, as DEVICE
   and INODE.  Nothing is read through the mapping.  */
static bool
is_shown_as (int fd, dev_t device, ino_t inode)
{
  char path[64];
  struct procmaps maps;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  int readable = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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
          /* Maps and stat agree about devices that are disks.  */
          || (major (status.st_dev) == 0 && is_shown_as (fd, device, inode))));
}

/* Find the file NAME with O_PATH in the root directory of process PID, or in
   ours if PID is 0, through no symbolic link.  Return -1 with errno set.  */
static int
find_by_name (pid_t pid, const char *name)
{
  const struct open_how how
      = { .flags = O_PATH | O_CLOEXEC,
          .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS };
  char path[64] = "/";
  if (pid != 0)
    snprintf (path, sizeof path, "/proc/%d/root", (int) pid);
  int root
      = name[0] == '/' ? open (path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (root < 0)
    return -1;
  int fd = syscall (__NR_openat2, root, name, &how, sizeof how);
  int error = errno;
  close (root);
  errno = error;
  return fd;
}

/* The ways to a file.  */
enum way
{
  BY_MAP,
  BY_NAME,
  BY_OUR_NAME,
  BY_PROGRAM,
  WAYS
};

/* Find by WAY, with O_PATH, a file that may be the one that MAP of process PID
   shows.  */
static int
find (enum way way, pid_t pid, const struct mapping *map)
{
  char path[64], name[PATH_MAX + 16];
  switch (way)
    {
    case BY_MAP:
      snprintf (path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int) pid,
                (unsigned long) map->start, (unsigned long) map->end);
      return open (path, O_PATH | O_CLOEXEC);
    case BY_NAME:
    case BY_OUR_NAME:
      if (strlen (map->name) >= PATH_MAX)
        return -1;
      /* A file may have this name without having been deleted.  */
      sprintf (name, "%s%s", map->name, map->deleted ? " (deleted)" : "");
      return find_by_name (way == BY_NAME ? pid : 0, name);
    default:
      /* This link leads to the file even if it is deleted.  */
      snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
      return open (path, O_PATH | O_CLOEXEC);
    }
}

int
mapped_open (pid_t pid, const struct mapping *map, int flags)
{
  int error = ENOENT;
  for (enum way way = 0; way < WAYS; ++way)
    {
      int fd = find (way, pid, map);
      if (fd < 0)
        continue;
      if (mapped_is (fd, map->device, map->inode))
        return regular_reopen (fd, flags);
      close (fd);
      error = ESTALE;
    }
  errno = error;
  return -1;
}
