/* Read what the kernel says of a process's mappings and huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "procmaps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* From Linux 6.7, Documentation/admin-guide/mm/pagemap.rst; not in the
   headers of Debian 12.  */
#ifndef PAGEMAP_SCAN
struct page_region
{
  uint64_t start, end, categories;
};
struct pm_scan_arg
{
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define PAGEMAP_SCAN _IOWR ('f', 16, struct pm_scan_arg)
#define PAGE_IS_PRESENT (1 << 3)
#define PAGE_IS_HUGE (1 << 6)
#endif

/* Fill MAP from LINE, the first of a mapping in smaps; false if it is none. */
static bool
parse_mapping (const char *line, struct mapping *map)
{
  char perms[5];
  unsigned int major, minor;
  unsigned long inode;
  int name = 0;

  *map = (struct mapping){ 0 };
  if (sscanf (line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %x:%x %lu %n",
              &map->start, &map->end, perms, &map->offset, &major, &minor,
              &inode, &name)
      < 7)
    return false;
  map->device = makedev (major, minor);
  map->inode = inode;
  map->readable = perms[0] == 'r';
  map->writable = perms[1] == 'w';
  map->executable = perms[2] == 'x';
  map->shared = perms[3] == 's';

  size_t length = strcspn (line + name, "\n");
  static const char deleted[] = " (deleted)";
  const size_t suffix = sizeof deleted - 1;
  if (length > suffix
      && memcmp (line + name + length - suffix, deleted, suffix) == 0)
    length -= suffix;
  map->name = strndup (line + name, length);
  return map->name != NULL;
}

/* Add what LINE, "Field:  N kB", says to MAP.  */
static void
parse_field (const char *line, struct mapping *map)
{
  static const struct
  {
    const char *field;
    size_t member;
  } fields[] = {
    { "AnonHugePages:", offsetof (struct mapping, huge_anonymous) },
    { "ShmemPmdMapped:", offsetof (struct mapping, huge_file) },
    { "FilePmdMapped:", offsetof (struct mapping, huge_file) },
    { "Shared_Hugetlb:", offsetof (struct mapping, huge_hugetlb) },
    { "Private_Hugetlb:", offsetof (struct mapping, huge_hugetlb) },
  };

  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    {
      size_t length = strlen (fields[i].field);
      if (strncmp (line, fields[i].field, length) == 0)
        *(size_t *)((char *)map + fields[i].member)
            += strtoul (line + length, NULL, 10) * 1024;
    }
}

int
procmaps_read (pid_t pid, struct procmaps *maps)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/smaps", (int)pid);
  FILE *stream = fopen (path, "re");
  if (stream == NULL)
    return -1;

  *maps = (struct procmaps){ 0 };
  char *line = NULL;
  size_t size = 0;
  bool failed = false;
  while (!failed && getline (&line, &size, stream) > 0)
    {
      struct mapping map;
      if (parse_mapping (line, &map))
        {
          struct mapping *list
              = reallocarray (maps->list, maps->count + 1, sizeof *list);
          failed = list == NULL;
          if (failed)
            free (map.name);
          else
            {
              maps->list = list;
              maps->list[maps->count++] = map;
            }
        }
      else if (maps->count > 0)
        parse_field (line, &maps->list[maps->count - 1]);
    }
  failed |= ferror (stream) != 0;
  free (line);
  fclose (stream);
  if (!failed && maps->count > 0)
    return 0;
  if (!failed)
    errno = ESRCH;
  procmaps_free (maps);
  return -1;
}

void
procmaps_free (struct procmaps *maps)
{
  for (size_t i = 0; i < maps->count; i++)
    free (maps->list[i].name);
  free (maps->list);
  *maps = (struct procmaps){ 0 };
}

const struct mapping *
procmaps_find (const struct procmaps *maps, uintptr_t address)
{
  for (size_t i = 0; i < maps->count; i++)
    if (address >= maps->list[i].start && address < maps->list[i].end)
      return &maps->list[i];
  return NULL;
}

static uintptr_t
max_of (uintptr_t a, uintptr_t b)
{
  return a > b ? a : b;
}

static uintptr_t
min_of (uintptr_t a, uintptr_t b)
{
  return a < b ? a : b;
}

/* Bytes of [START, END) that PAGEMAP, an open /proc/PID/pagemap, reports as
   huge and present; -1 with errno set where the kernel cannot say.  */
static ssize_t
scan_huge (int pagemap, uintptr_t start, uintptr_t end)
{
  const uintptr_t page = getpagesize ();
  struct page_region regions[64];
  struct pm_scan_arg arg = {
    .size = sizeof arg,
    .start = start & -page,
    .end = (end + page - 1) & -page,
    .vec = (uintptr_t)regions,
    .vec_len = sizeof regions / sizeof regions[0],
    .category_mask = PAGE_IS_HUGE | PAGE_IS_PRESENT,
    .return_mask = PAGE_IS_HUGE,
  };
  ssize_t huge = 0;

  while (arg.start < arg.end)
    {
      int count = ioctl (pagemap, PAGEMAP_SCAN, &arg);
      if (count < 0)
        return -1;
      for (int i = 0; i < count; i++)
        huge
            += min_of (end, regions[i].end) - max_of (start, regions[i].start);
      if (arg.walk_end <= arg.start)
        break;
      arg.start = arg.walk_end;
    }
  return huge;
}

size_t
procmaps_huge (pid_t pid, const struct procmaps *maps, uintptr_t start,
               uintptr_t end)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/pagemap", (int)pid);
  int pagemap = open (path, O_RDONLY | O_CLOEXEC);
  if (pagemap >= 0)
    {
      ssize_t huge = scan_huge (pagemap, start, end);
      close (pagemap);
      if (huge >= 0)
        return huge;
    }

  size_t sum = 0;
  for (size_t i = 0; i < maps->count; i++)
    {
      const struct mapping *map = &maps->list[i];
      if (map->end <= start || map->start >= end)
        continue;
      sum += min_of (min_of (end, map->end) - max_of (start, map->start),
                     map->huge_file + map->huge_anonymous + map->huge_hugetlb);
    }
  return sum;
}
