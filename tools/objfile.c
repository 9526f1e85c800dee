/* The files that a process has mapped, and their program headers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "objfile.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* Whether FD, with STATUS, can be what is shown with INODE in maps.  Before
   Linux 6.8 that of a file on overlayfs is of the filesystem below.  */
static bool
is_inode (int fd, const struct stat *status, ino_t inode)
{
  struct statfs filesystem;
  return (status->st_ino == inode
          || (fstatfs (fd, &filesystem) == 0
              && filesystem.f_type == OVERLAYFS_SUPER_MAGIC));
}

/* Open PATH if it is the regular file DEVICE, INODE.  A device of 0 is not
   compared: some filesystems show another one in maps than in stat.  FLAGS
   is 0 or O_DIRECT, which not every filesystem has.  */
static int
open_same (const char *path, dev_t device, ino_t inode, int flags)
{
  struct stat status;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
  if (fd < 0 && flags != 0)
    fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return -1;
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && is_inode (fd, &status, inode)
      && (device == 0 || status.st_dev == device))
    {
      /* No more than is asked for.  */
      posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
      return fd;
    }
  close (fd);
  return -1;
}

/* Open the file NAME, as process PID sees it, if it is still the one with
   INODE.  */
static int
open_by_name (pid_t pid, const char *name, ino_t inode, int flags)
{
  char path[4096];
  snprintf (path, sizeof path, "/proc/%d/root%s", (int)pid, name);
  int fd = open_same (path, 0, inode, flags);
  /* Of what we can reach the kernel says how we do: a process may have
     another root directory (chroot).  */
  return fd >= 0 ? fd : open_same (name, 0, inode, flags);
}

/* Open the file that MAP of process PID shows, even if it has been deleted.
   Only the privileged can.  */
static int
open_by_map (pid_t pid, const struct mapping *map, int flags)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)pid,
            (unsigned long)map->start, (unsigned long)map->end);
  return open_same (path, 0, map->inode, flags);
}

/* Open the file that MAP of process PID shows.  */
static int
open_mapped (pid_t pid, const struct mapping *map, int flags)
{
  char path[64];
  int fd
      = map->deleted ? -1 : open_by_name (pid, map->name, map->inode, flags);
  if (fd >= 0)
    return fd;
  fd = open_by_map (pid, map, flags);
  if (fd >= 0)
    return fd;
  /* The program itself, even if deleted.  */
  snprintf (path, sizeof path, "/proc/%d/exe", (int)pid);
  return open_same (path, map->device, map->inode, flags);
}

/* Put the PT_LOAD headers of ELF into SEGMENTS.  False if that cannot be done;
   no segments is no error: the file is no object.  */
static bool
list_segments (Elf *elf, struct segments *segments)
{
  size_t count;
  if (elf == NULL || elf_kind (elf) != ELF_K_ELF)
    return true;
  if (elf_getphdrnum (elf, &count) < 0)
    return false;
  segments->list = calloc (count, sizeof *segments->list);
  segments->count = 0;
  for (size_t i = 0; segments->list != NULL && i < count; i++)
    {
      GElf_Phdr *phdr = &segments->list[segments->count];
      if (gelf_getphdr (elf, i, phdr) == NULL)
        return false;
      if (phdr->p_type == PT_LOAD)
        segments->count++;
    }
  return true;
}

/* Read the PT_LOAD headers of the ELF file FD.  */
static struct segments
read_segments (int fd)
{
  struct segments segments = { 0 };
  /* Aligned, and a multiple of any disk's blocks, for O_DIRECT.  */
  enum
  {
    SIZE = 16384,
    ALIGNMENT = 4096,
  };
  char *buffer = aligned_alloc (ALIGNMENT, SIZE);
  ssize_t size = buffer != NULL ? pread (fd, buffer, SIZE, 0) : -1;
  bool good = false;
  elf_version (EV_CURRENT);
  if (size > 0)
    {
      Elf *elf = elf_memory (buffer, size);
      good = list_segments (elf, &segments);
      elf_end (elf);
    }
  free (buffer);
  if (good)
    return segments;

  /* They are elsewhere in the file.  */
  free (segments.list);
  segments = (struct segments){ 0 };
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_DIRECT);
  Elf *elf = elf_begin (fd, ELF_C_READ, NULL);
  if (!list_segments (elf, &segments))
    segments.count = 0;
  elf_end (elf);
  return segments;
}

/* Headers read around the page cache are kept: that takes longer than all the
   rest, and the process is looked at again and again.  */
static struct
{
  dev_t device;
  ino_t inode;
  struct segments segments;
} kept[64];
static size_t nkept;

bool
objfile_segments (pid_t pid, const struct mapping *map, bool direct,
                  struct segments *segments)
{
  for (size_t i = 0; direct && i < nkept; i++)
    if (kept[i].inode == map->inode && kept[i].device == map->device)
      {
        *segments = kept[i].segments;
        return true;
      }
  int fd = open_mapped (pid, map, direct ? O_DIRECT : 0);
  if (fd < 0)
    return false;
  *segments = read_segments (fd);
  close (fd);
  if (direct && nkept < sizeof kept / sizeof kept[0])
    {
      kept[nkept].device = map->device;
      kept[nkept].inode = map->inode;
      kept[nkept++].segments = *segments;
    }
  return true;
}

void
objfile_free (struct segments *segments)
{
  for (size_t i = 0; i < nkept; i++)
    if (kept[i].segments.list == segments->list)
      return;
  free (segments->list);
}

int
objfile_open (pid_t pid, const char *name, dev_t device, ino_t inode)
{
  char path[64];
  int fd = open_by_name (pid, name, inode, 0);
  if (fd >= 0)
    return fd;
  snprintf (path, sizeof path, "/proc/%d/exe", (int)pid);
  fd = open_same (path, device, inode, 0);
  struct procmaps maps;
  if (fd >= 0 || procmaps_read (pid, &maps) < 0)
    return fd;
  for (size_t i = 0; fd < 0 && i < maps.count; i++)
    if (maps.list[i].inode == inode && maps.list[i].device == device)
      fd = open_by_map (pid, &maps.list[i], 0);
  procmaps_free (&maps);
  return fd;
}
