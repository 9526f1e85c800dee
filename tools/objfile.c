/* The files that a process has mapped, and their program headers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "objfile.h"
#include "mapped.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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
  for (size_t i = 0; i < nkept; i++)
    if (kept[i].segments.list == segments->list)
      return;
  free (segments->list);
}
