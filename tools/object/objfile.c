/* The files that a process has mapped, and their program headers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Reading a header through the page cache may keep text on small pages
   (doc/experiments/reclaim).  */

#include "object/objfile.h"
#include "host/mapped.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Read the PT_LOAD headers of the ELF file FD.  */
static struct segments
read_segments (int fd)
{
  struct elf_head head;
  struct segments segments = { 0 };
  if (elfhead_read (fd, &head) != NULL)
    return segments;
  for (size_t i = 0; i < head.count; ++i)
    if (head.phdr[i].p_type == PT_LOAD)
      head.phdr[segments.count++] = head.phdr[i];
  segments.list = head.phdr;
  return segments;
}

/* A cache of headers read around the page cache: reading them takes longer
   than all other work, and the same process is looked at again and again.  */
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
  for (size_t i = 0; direct && i < nkept; ++i)
    if (kept[i].inode == map->inode && kept[i].device == map->device)
      {
        *segments = kept[i].segments;
        return true;
      }
  int fd = mapped_open (pid, map, direct ? O_DIRECT : 0);
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
  for (size_t i = 0; i < nkept; ++i)
    if (kept[i].segments.list == segments->list)
      return;
  free (segments->list);
}
