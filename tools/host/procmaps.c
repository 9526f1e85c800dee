/* The mappings of a process and their pages, as the kernel lists them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/procmaps.h"
#include "host/procfile.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A structure that exists since Linux 6.7
   (Documentation/admin-guide/mm/pagemap.rst).  The headers of Debian 12 do not
   define this structure.  */
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
#  define PAGEMAP_SCAN _IOWR ('f', 16, struct pm_scan_arg)
#  define PAGE_IS_PRESENT (1 << 3)
#  define PAGE_IS_HUGE (1 << 6)
#endif

/* A structure that <linux/fs.h> defines since Linux 6.11.  */
#ifndef PROCMAP_QUERY
struct procmap_query
{
  uint64_t size, query_flags, query_addr, vma_start, vma_end, vma_flags,
      vma_page_size, vma_offset, inode;
  uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
  uint64_t vma_name_addr, build_id_addr;
};
#  define PROCMAP_QUERY _IOWR ('f', 17, struct procmap_query)
#  define PROCMAP_QUERY_VMA_READABLE 1
#  define PROCMAP_QUERY_VMA_WRITABLE 2
#  define PROCMAP_QUERY_VMA_EXECUTABLE 4
#  define PROCMAP_QUERY_VMA_SHARED 8
#  define PROCMAP_QUERY_COVERING_OR_NEXT_VMA 16
#endif

_Static_assert(PROCMAPS_SCAN == PAGEMAP_SCAN
                   && PROCMAPS_QUERY == PROCMAP_QUERY,
               "PROCMAPS_SCAN and PROCMAPS_QUERY must be the kernel's numbers "
               "of the ioctl requests");

/* In an entry of /proc/PID/pagemap, the bit that is set if the page is mapped
   (pagemap.rst).  */
#define PAGEMAP_PRESENT (UINT64_C (1) << 63)

uintptr_t
procmaps_block (void)
{
  uintptr_t page = getpagesize ();
  return page * (page / sizeof (uint64_t));
}

/* Set the name of MAP from the LENGTH bytes at NAME, which are in the
   kernel's format.  */
static bool
set_name (struct mapping *map, const char *name, size_t length)
{
  static const char deleted[] = " (deleted)";
  const size_t suffix = sizeof deleted - 1;
  if (length > suffix && memcmp (name + length - suffix, deleted, suffix) == 0)
    {
      map->deleted = true;
      length -= suffix;
    }
  map->name = strndup (name, length);
  return map->name != NULL;
}

/* If LINE is the first line about a mapping, set MAP from LINE and return
   true.  If LINE is one of the lines of fields after it, return false.  */
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

  return set_name (map, line + name, strcspn (line + name, "\n"));
}

/* Read into MAPS those lines of /proc/PID/maps that overlap [START, END).
   Return 0, or -1 with errno set.  */
static int
procmaps_read_lines (pid_t pid, uintptr_t start, uintptr_t end,
                     struct procmaps *maps)
{
  FILE *stream = procfile_stream (pid, "maps");
  if (stream == NULL)
    return -1;

  *maps = (struct procmaps){ 0 };
  char *line = NULL;
  size_t size = 0;
  struct mapping map;
  bool failed = false, behind = false;
  while (!failed && !behind && getline (&line, &size, stream) > 0)
    if (!budget_spend (strlen (line) + sizeof map))
      failed = true;
    else if (parse_mapping (line, &map))
      {
        behind = map.start >= end;
        if (map.end <= start || behind)
          {
            free (map.name);
            continue;
          }
        maps->list = allocate_more (maps->list, maps->count, sizeof map);
        maps->list[maps->count++] = map;
      }
  failed |= ferror (stream) != 0;
  const int error = errno;
  free (line);
  fclose (stream);
  if (!failed)
    return 0;
  procmaps_free (maps);
  errno = error;
  return -1;
}

int
procmaps_read (pid_t pid, struct procmaps *maps)
{
  if (procmaps_read_lines (pid, 0, UINTPTR_MAX, maps) < 0)
    return -1;
  if (maps->count > 0)
    return 0;
  errno = ESRCH;
  return -1;
}

/* Query FILE, which is /proc/PID/maps, for the first mapping that ends above
   ADDRESS.  Return 1 if there is such a mapping, 0 if there is none, or -1
   with errno set.  */
static int
query (int file, uintptr_t address, struct mapping *map)
{
  char name[PATH_MAX];
  struct procmap_query query = {
    .size = sizeof query,
    .query_flags = PROCMAP_QUERY_COVERING_OR_NEXT_VMA,
    .query_addr = address,
    .vma_name_addr = (uintptr_t) name,
    .vma_name_size = sizeof name,
  };
  if (ioctl (file, PROCMAP_QUERY, &query) < 0)
    return errno == ENOENT ? 0 : -1;
  *map = (struct mapping){
    .start = query.vma_start,
    .end = query.vma_end,
    .offset = query.vma_offset,
    .device = makedev (query.dev_major, query.dev_minor),
    .inode = query.inode,
    .readable = (query.vma_flags & PROCMAP_QUERY_VMA_READABLE) != 0,
    .writable = (query.vma_flags & PROCMAP_QUERY_VMA_WRITABLE) != 0,
    .executable = (query.vma_flags & PROCMAP_QUERY_VMA_EXECUTABLE) != 0,
    .shared = (query.vma_flags & PROCMAP_QUERY_VMA_SHARED) != 0,
  };
  const size_t length
      = query.vma_name_size > 0 ? strnlen (name, query.vma_name_size) : 0;
  return set_name (map, name, length) ? 1 : -1;
}

/* Return true if NUMBER, the error of a request PROCMAP_QUERY, means that the
   kernel does not know this request.  */
static bool
is_unknown (int number)
{
  return number == ENOTTY || number == EINVAL;
}

bool
procmaps_can_query (void)
{
  struct mapping map;
  int file = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  const bool can = file >= 0 && query (file, 0, &map) > 0;
  if (can)
    free (map.name);
  if (file >= 0)
    close (file);
  return can;
}

int
procmaps_read_range (pid_t pid, uintptr_t start, uintptr_t end,
                     struct procmaps *maps)
{
  static bool no_query;
  struct mapping map;
  int found = -1;
  if (no_query)
    return procmaps_read_lines (pid, start, end, maps);
  const int file = procfile_open (pid, "maps");
  if (file < 0)
    return -1;
  *maps = (struct procmaps){ 0 };
  for (uintptr_t at = start; at < end; at = map.end)
    {
      found = query (file, at, &map);
      if (found > 0 && map.start >= end)
        {
          free (map.name);
          found = 0;
        }
      if (found <= 0)
        break;
      maps->list = allocate_more (maps->list, maps->count, sizeof map);
      maps->list[maps->count++] = map;
    }
  const int error = errno;
  close (file);
  if (found >= 0)
    return 0;
  procmaps_free (maps);
  no_query = is_unknown (error);
  errno = error;
  return no_query ? procmaps_read_lines (pid, start, end, maps) : -1;
}

/* If LINE of smaps is "Field: N kB" with a field that is needed, add the field
   to MAP.  */
static void
parse_field (const char *line, struct mapping *map)
{
  static const struct
  {
    const char *field;
    size_t member;
  } fields[] = {
    { "Pss:", offsetof (struct mapping, part) },
    { "AnonHugePages:", offsetof (struct mapping, huge_anonymous) },
    { "ShmemPmdMapped:", offsetof (struct mapping, huge_file) },
    { "FilePmdMapped:", offsetof (struct mapping, huge_file) },
    { "Shared_Hugetlb:", offsetof (struct mapping, huge_hugetlb) },
    { "Private_Hugetlb:", offsetof (struct mapping, huge_hugetlb) },
    { "Shared_Clean:", offsetof (struct mapping, others) },
    { "Shared_Dirty:", offsetof (struct mapping, others) },
    { "Shared_Dirty:", offsetof (struct mapping, dirty) },
    { "Private_Dirty:", offsetof (struct mapping, dirty) },
  };

  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
    {
      size_t length = strlen (fields[i].field);
      if (strncmp (line, fields[i].field, length) == 0)
        *(size_t *) ((char *) map + fields[i].member)
            += strtoul (line + length, NULL, 10) * 1024;
    }
  if (strncmp (line, "VmFlags:", 8) == 0)
    {
      map->hugetlb = strstr (line, " ht") != NULL;
      map->locked = strstr (line, " lo") != NULL;
      map->guarded = strstr (line, " bt") != NULL;
      map->kept_small = strstr (line, " nh") != NULL;
      map->watched
          = (strstr (line, " um") != NULL || strstr (line, " uw") != NULL
             || strstr (line, " ui") != NULL);
      map->detailed = true;
    }
}

void
procmaps_details (pid_t pid, struct procmaps *maps)
{
  if (maps->detailed)
    return;
  maps->detailed = true;
  FILE *stream = procfile_stream (pid, "smaps");
  if (stream == NULL)
    return;

  char *line = NULL;
  size_t size = 0, at = 0;
  struct mapping map, *ours = NULL;
  while (getline (&line, &size, stream) > 0 && budget_spend (0))
    if (line[0] >= 'A' && line[0] <= 'Z')
      {
        if (ours != NULL)
          parse_field (line, ours);
      }
    else if (parse_mapping (line, &map))
      {
        free (map.name);
        /* Skip mappings that did not exist yet when MAPS was read.  */
        while (at < maps->count && maps->list[at].end <= map.start)
          ++at;
        ours = (at < maps->count && maps->list[at].start == map.start
                        && maps->list[at].end == map.end
                    ? &maps->list[at]
                    : NULL);
      }
  free (line);
  fclose (stream);
}

void
procmaps_free (struct procmaps *maps)
{
  for (size_t i = 0; i < maps->count; ++i)
    free (maps->list[i].name);
  free (maps->list);
  *maps = (struct procmaps){ 0 };
}

bool
mapping_is_memory (const struct mapping *map)
{
  static const char *const names[]
      = { "/memfd:", "/anon_hugepage", "/dev/zero", "/SYSV" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strncmp (map->name, names[i], strlen (names[i])) == 0)
      return true;
  return false;
}

size_t
procmaps_index (const struct procmaps *maps, uintptr_t address)
{
  size_t low = 0, high = maps->count;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (maps->list[middle].end <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

const struct mapping *
procmaps_find (const struct procmaps *maps, uintptr_t address)
{
  size_t i = procmaps_index (maps, address);
  return (i < maps->count && maps->list[i].start <= address ? &maps->list[i]
                                                            : NULL);
}

int
pages_open (struct pages *pages, pid_t pid, struct procmaps *maps)
{
  *pages = (struct pages){ .pid = pid, .maps = maps };
  pages->pagemap = procfile_open (pid, "pagemap");
  return pages->pagemap < 0 ? -1 : 0;
}

void
pages_close (struct pages *pages)
{
  close (pages->pagemap);
}

/* Count pages by PAGEMAP_SCAN.  Return false if the kernel does not know
   PAGEMAP_SCAN.  */
static bool
procmaps_count_pages (struct pages *pages, uintptr_t start, uintptr_t end,
                      struct page_counts *counts)
{
  const uintptr_t page = getpagesize ();
  struct page_region regions[64];
  struct pm_scan_arg arg = {
    .size = sizeof arg,
    .start = start & -page,
    .end = (end + page - 1) & -page,
    .vec = (uintptr_t) regions,
    .vec_len = sizeof regions / sizeof regions[0],
    .category_mask = PAGE_IS_PRESENT,
    .return_mask = PAGE_IS_PRESENT | PAGE_IS_HUGE,
  };

  while (arg.start < arg.end)
    {
      int count = ioctl (pages->pagemap, PAGEMAP_SCAN, &arg);
      if (count < 0)
        /* If the process has ended, the kernel reports an error, which counts
           as zero pages.  Return false only if the error means that the kernel
           does not know the request PAGEMAP_SCAN.  */
        return errno != ENOTTY && errno != EINVAL;
      for (int i = 0; i < count; ++i)
        {
          size_t bytes
              = MIN (end, regions[i].end) - MAX (start, regions[i].start);
          if (regions[i].categories & PAGE_IS_HUGE)
            counts->huge += bytes;
          else
            counts->small += bytes;
        }
      if (arg.walk_end <= arg.start)
        break;
      arg.start = arg.walk_end;
    }
  return true;
}

/* Count the mapped pages from the entries of /proc/PID/pagemap, all of them as
   small pages.  */
static void
count_present (struct pages *pages, uintptr_t start, uintptr_t end,
               struct page_counts *counts)
{
  const uintptr_t page = getpagesize ();
  uint64_t entries[512];

  for (uintptr_t from = start & -page; from < end;)
    {
      size_t want = MIN ((end - from + page - 1) / page,
                         sizeof entries / sizeof entries[0]);
      ssize_t got = pread (pages->pagemap, entries, want * sizeof *entries,
                           from / page * sizeof *entries);
      if (got < (ssize_t) sizeof *entries)
        return;
      size_t n = got / sizeof *entries;
      for (size_t i = 0; i < n; ++i)
        if (entries[i] & PAGEMAP_PRESENT)
          counts->small += MIN (end, from + (i + 1) * page)
                           - MAX (start, from + i * page);
      from += n * page;
    }
}

/* In COUNTS, move the number of bytes that smaps shows as huge from the member
   SMALL to the member HUGE.  The result is exact if the whole mapping is on
   huge pages, or the whole mapping is on small pages.  */
static void
guess_huge (struct pages *pages, uintptr_t start, uintptr_t end,
            struct page_counts *counts)
{
  const uintptr_t block = procmaps_block ();
  procmaps_details (pages->pid, pages->maps);
  const struct mapping *map = procmaps_find (pages->maps, start);
  size_t huge = map == NULL
                    ? 0
                    : map->huge_file + map->huge_anonymous + map->huge_hugetlb;
  if (huge == 0)
    return;
  uintptr_t first = (map->start + block - 1) & -block;
  uintptr_t last = map->end & -block;
  uintptr_t at = start & -block;
  if (at < first || at >= last || counts->small < end - start)
    return;
  counts->guessed = huge < last - first;
  /* The kernel does not say which bytes of the mapping are huge, so assume
     that the first bytes are.  */
  if (at - first < huge)
    {
      counts->huge = counts->small;
      counts->small = 0;
    }
}

struct page_counts
pages_count (struct pages *pages, uintptr_t start, uintptr_t end)
{
  struct page_counts counts = { 0 };
  if (!budget_spend (0))
    return counts;
  if (!pages->no_scan)
    {
      if (procmaps_count_pages (pages, start, end, &counts))
        return counts;
      pages->no_scan = true;
      counts = (struct page_counts){ 0 };
    }
  count_present (pages, start, end, &counts);
  guess_huge (pages, start, end, &counts);
  return counts;
}
