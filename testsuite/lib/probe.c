/* Check whether this machine has something that a test needs.  The exit status
   is 0 if the machine has the feature, otherwise 1.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   probe thp [N]         N aligned anonymous mappings, or one, get a huge page
                         each.  Prints the number of huge pages.
   probe collapse        MADV_COLLAPSE makes a huge page of small pages
                         (Linux 6.1).
   probe pagemap_scan    /proc/self/pagemap knows PAGEMAP_SCAN (Linux 6.7).  */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25
#endif

static size_t
count_huge (size_t block)
{
  char line[256];
  size_t kib, sum = 0;
  FILE *stream = fopen ("/proc/self/smaps", "r");
  while (stream != NULL && fgets (line, sizeof line, stream))
    if (sscanf (line, "AnonHugePages: %zu", &kib) == 1)
      sum += kib;
  return sum / (block / 1024);
}

/* Return an aligned block of anonymous memory.  */
static char *
get_block (size_t block)
{
  char *memory = mmap (NULL, 2 * block, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  return (char *) (((uintptr_t) memory + block - 1) & -block);
}

static bool
probe_thp (size_t block, size_t n)
{
  for (size_t i = 0; i < n; ++i)
    {
      char *memory = get_block (block);
      if (memory == NULL || madvise (memory, block, MADV_HUGEPAGE) != 0)
        return false;
      memory[0] = 1;
    }
  printf ("%zu\n", count_huge (block));
  return count_huge (block) >= n;
}

static bool
probe_collapse (size_t block)
{
  char *memory = get_block (block);
  if (memory == NULL)
    return false;
  memset (memory, 1, block);
  return madvise (memory, block, MADV_COLLAPSE) == 0 && count_huge (block) > 0;
}

static bool
probe_pagemap_scan (void)
{
  uint64_t arguments[12] = { sizeof arguments };
  int fd = open ("/proc/self/pagemap", O_RDONLY);
  return fd >= 0 && ioctl (fd, _IOWR ('f', 16, arguments), arguments) >= 0;
}

int
main (int argc, char **argv)
{
  size_t page = sysconf (_SC_PAGESIZE);
  size_t block = page * (page / sizeof (uint64_t));
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp (what, "thp") == 0)
    return !probe_thp (block, argc > 2 ? atoi (argv[2]) : 1);
  if (strcmp (what, "collapse") == 0)
    return !probe_collapse (block);
  if (strcmp (what, "pagemap_scan") == 0)
    return !probe_pagemap_scan ();
  fputs ("usage: probe thp [N]|collapse|pagemap_scan\n", stderr);
  return 2;
}
