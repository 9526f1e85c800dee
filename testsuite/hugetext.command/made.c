/* A program with several kinds of code made at run time, for commands that
   examine such a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   made READY KIND...

   For each of the first three KINDs, the program makes three blocks of
   executable memory: the first is on a huge page, the second on small pages,
   and only a part of the third has been touched.  KIND is

   private   anonymous memory
   shared    anonymous memory that is shared with children
   memfd     a memory file that is written through a second mapping, as in BEAM
   behind    anonymous memory of 256 KiB directly after this program's own
             mappings, where copies of its text could be
   filled    eight blocks of anonymous memory, all on small pages, that are
             full before one call makes them executable

   When all is there, the program makes the file READY, and waits.  The exit
   status is 3 if the kernel gives no huge page.  */

#define _GNU_SOURCE 1
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25
#endif

extern char _end[];
static size_t page, block;

/* Map three writable blocks of KIND at START, over an inaccessible mapping.
   Return the address of a mapping through which the blocks can be written.  */
static char *
map_kind (const char *kind, char *start)
{
  int fd = -1, flags = MAP_FIXED;
  if (strcmp (kind, "private") == 0)
    flags |= MAP_PRIVATE | MAP_ANONYMOUS;
  else if (strcmp (kind, "shared") == 0)
    flags |= MAP_SHARED | MAP_ANONYMOUS;
  else
    {
      flags |= MAP_SHARED;
      fd = memfd_create ("code", 0);
      if (fd < 0 || ftruncate (fd, 3 * block) != 0)
        err (1, "memory file");
    }
  if (mmap (start, 3 * block, PROT_READ | PROT_WRITE, flags, fd, 0)
      == MAP_FAILED)
    err (1, "%s", kind);
  if (fd < 0)
    return start;
  char *alias
      = mmap (NULL, 3 * block, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (alias == MAP_FAILED)
    err (1, "%s", kind);
  return alias;
}

static void
make (const char *kind)
{
  char *room
      = mmap (NULL, 5 * block, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    err (1, "mmap");
  char *start = (char *) (((uintptr_t) room + block) & -block);
  char *to = map_kind (kind, start);
  madvise (start, 3 * block, MADV_NOHUGEPAGE);
  memset (to, 0xc3, 2 * block + 5 * page);
  if (mprotect (start, 3 * block, PROT_READ | PROT_EXEC) != 0)
    err (1, "mprotect");
  madvise (start, block, MADV_HUGEPAGE);
  if (madvise (start, block, MADV_COLLAPSE) != 0)
    exit (3);
  /* The page tables of this mapping do not have the pages that were written
     through the other mapping, so touch them.  */
  for (size_t i = 0; i < 2 * block + 5 * page; i += page)
    *(volatile char *) (start + i);
}

static void
make_behind (void)
{
  const size_t size = 262144;
  char *start = (char *) (((uintptr_t) _end + page - 1) & -page);
  start = mmap (start, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (start == MAP_FAILED)
    err (4, "behind");
  memset (start, 0xc3, size);
  if (mprotect (start, size, PROT_READ | PROT_EXEC) != 0)
    err (1, "mprotect");
}

static void
make_filled (void)
{
  const size_t size = 8 * block;
  char *room = mmap (NULL, size + block, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    err (1, "mmap");
  char *start = (char *) (((uintptr_t) room + block - 1) & -block);
  madvise (start, size, MADV_NOHUGEPAGE);
  memset (start, 0xc3, size);
  if (mprotect (start, size, PROT_READ | PROT_EXEC) != 0)
    err (1, "mprotect");
}

int
main (int argc, char **argv)
{
  page = sysconf (_SC_PAGESIZE);
  block = page / 8 * page;
  for (int i = 2; i < argc; ++i)
    if (strcmp (argv[i], "behind") == 0)
      make_behind ();
    else if (strcmp (argv[i], "filled") == 0)
      make_filled ();
    else
      make (argv[i]);
  FILE *ready = fopen (argv[1], "w");
  if (ready == NULL || fclose (ready) != 0)
    err (1, "%s", argv[1]);
  pause ();
  return 0;
}
