/* Blocks of files in the page cache: map the blocks at addresses at which they
   can be huge pages, and ask the kernel whether they are huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CACHED_H
#define CACHED_H 1

#include <err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>

/* Reserve SIZE + BLOCK bytes of address space, which begin at *ROOM.  In this
   space, map SIZE bytes of FD, from file offset OFFSET, to an address that is
   a multiple of BLOCK.  Return NULL if the mapping fails.  */
static inline char *
cached_map (int fd, off_t offset, size_t size, size_t block, void **room)
{
  *room = mmap (NULL, size + block, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (*room == MAP_FAILED)
    return NULL;
  char *start = (char *) (((uintptr_t) *room + block - 1) & -block);
  return (mmap (start, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
                fd, offset)
                  == MAP_FAILED
              ? NULL
              : start);
}

/* Return how many bytes of the mapping that begins at ADDRESS are on huge
   pages of its file.  */
static inline size_t
cached_huge (const void *address)
{
  char line[512];
  unsigned long int start, end;
  size_t kib = 0;
  bool here = false;
  FILE *stream = fopen ("/proc/self/smaps", "r");
  if (stream == NULL)
    err (1, "smaps");
  while (fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "%lx-%lx ", &start, &end) == 2)
      here = start == (uintptr_t) address;
    else if (here && sscanf (line, "FilePmdMapped: %zu", &kib) == 1)
      break;
  fclose (stream);
  return kib * 1024;
}

#endif
