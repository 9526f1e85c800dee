/* A process that makes code at run time, and calls it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   code KIND READY

   The process has five blocks of executable memory, private or shared, with a
   function in each page of the first three and a half; the rest has not been
   touched, and a page of the third block is not executable.  A few more pages
   lie before the blocks.  The process calls all functions until a signal ends
   it or a function is wrong.  */

#define _GNU_SOURCE 1
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page, block;

/* Put a function at TO that returns NUMBER.  */
static void
write_function (char *to, uint32_t number)
{
#ifdef __aarch64__
  const uint32_t code[] = { 0x52800000 | (number & 0xffff) << 5, 0xd65f03c0 };
  memcpy (to, code, sizeof code);
  __builtin___clear_cache (to, to + sizeof code);
#else
  char code[] = { 0xb8, 0, 0, 0, 0, 0xc3 };
  memcpy (code + 1, &number, sizeof number);
  memcpy (to, code, sizeof code);
#endif
}

static bool
is_right (const char *start, size_t pages, size_t hole)
{
  for (size_t i = 0; i < pages; ++i)
    if (i != hole
        && ((uint32_t (*) (void)) (uintptr_t) (start + i * page)) () != i)
      return false;
  return true;
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  page = sysconf (_SC_PAGESIZE);
  block = page / 8 * page;
  const size_t pages = 7 * block / 2 / page, hole = 5 * block / 2 / page;
  int kind = strcmp (argv[1], "shared") == 0 ? MAP_SHARED : MAP_PRIVATE;
  char *room = mmap (NULL, 8 * block, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    err (1, "mmap");
  char *start = (char *) (((uintptr_t) room + 2 * block - 1) & -block);
  char *first = start - 7 * page;
  /* Two mappings: shared memory is huge only where its offset fits, too.  */
  const int protection = PROT_READ | PROT_WRITE;
  const int flags = kind | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap (first, start - first, protection, flags, -1, 0) != first
      || mmap (start, 5 * block, protection, flags, -1, 0) != start)
    err (1, "mmap");
  for (size_t i = 0; i < pages; ++i)
    write_function (start + i * page, i);
  memset (first, 0, 7 * page);
  if (mprotect (first, start + 5 * block - first, PROT_READ | PROT_EXEC) != 0
      || mprotect (start + hole * page, page, PROT_READ) != 0)
    err (1, "mprotect");
  FILE *ready = fopen (argv[2], "w");
  if (ready == NULL || fprintf (ready, "%d\n", (int) getpid ()) < 0
      || fclose (ready) != 0)
    err (1, "%s", argv[2]);
  while (is_right (start, pages, hole))
    usleep (20000);
  return 1;
}
