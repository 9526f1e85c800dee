/* walk: a program that calls functions in many pages of text in a fixed
   random order, and prints the nanoseconds of a call.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: walk [--ideal] [--once | --share | --wait]

   --ideal: first put the text on pages of the hugetlb pool, which is easy
   here, since only the text is in its blocks.  --once: call the functions
   once and print nothing.  --share: call nothing, and print what percentage
   of the text is on huge pages according to the kernel.  --wait: call
   nothing, and wait for the end of the input.  */

#include <error.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

extern char walk_text[], walk_end[];
extern const uint64_t walk_count;
extern void walk_first (void);

/* Measure windows of at least WINDOW seconds, until LONG_ENOUGH seconds have
   passed.  Large text is in the processor's last-level cache only after dozens
   of passes.  */
#define WINDOW 0.001
#define LONG_ENOUGH (0.03 + 0.002 * (walk_end - walk_text) / (1 << 20))

static void
make_ideal (void)
{
  size_t size = walk_end - walk_text;
  void *copy = mmap (NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (copy == MAP_FAILED)
    error (EXIT_FAILURE, errno, "no %zu huge pages in the pool", size >> 21);
  memcpy (copy, walk_text, size);
  if (mprotect (copy, size, PROT_READ | PROT_EXEC) != 0
      || mremap (copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, walk_text)
             != walk_text)
    error (EXIT_FAILURE, errno,
           "cannot map the huge pages at the address of the text");
}

/* Print how much of the text is huge, in per cent: the sum of the numbers in
   smaps for all mappings that overlap the text.  */
static void
print_share (void)
{
  const uintptr_t text = (uintptr_t) walk_text, end = (uintptr_t) walk_end;
  uintptr_t from = 0, to = 0, value;
  char *line = NULL, key[64];
  size_t size = 0;
  double huge = 0;
  FILE *smaps = fopen ("/proc/self/smaps", "re");
  if (smaps == NULL)
    error (EXIT_FAILURE, errno, "/proc/self/smaps");
  while (getline (&line, &size, smaps) > 0)
    if (sscanf (line, "%lx-%lx ", &from, &to) == 2)
      continue;
    else if (sscanf (line, "%63[^:]: %lu kB", key, &value) == 2 && from < end
             && to > text
             && (strcmp (key, "FilePmdMapped") == 0
                 || strcmp (key, "AnonHugePages") == 0
                 || strcmp (key, "ShmemPmdMapped") == 0
                 || strcmp (key, "Private_Hugetlb") == 0
                 || strcmp (key, "Shared_Hugetlb") == 0))
      huge += value * 1024;
  fclose (smaps);
  free (line);
  /* A mapping that overlaps the text may have huge blocks at its ends that lie
     partly outside the text.  */
  huge = 100 * huge / (end - text);
  printf ("%.1f\n", huge > 100 ? 100 : huge);
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Return the time in seconds that a call of all functions takes if nothing
   disturbs the program: the lowest average of many windows.  Other programs
   use the processor's caches, and the other hardware thread of the core, for
   milliseconds at a time.  */
static double
fastest (void)
{
  const double end = now () + LONG_ENOUGH;
  double least = HUGE_VAL, start, time;
  do
    {
      size_t rounds = 0;
      start = now ();
      do
        {
          walk_first ();
          ++rounds;
        }
      while ((time = now () - start) < WINDOW);
      if (time / rounds < least)
        least = time / rounds;
    }
  while (start + time < end);
  return least;
}

int
main (int argc, char **argv)
{
  bool once = false, share = false, wait = false;
  for (int i = 1; i < argc; ++i)
    if (strcmp (argv[i], "--ideal") == 0)
      make_ideal ();
    else if (strcmp (argv[i], "--once") == 0)
      once = true;
    else if (strcmp (argv[i], "--share") == 0)
      share = true;
    else if (strcmp (argv[i], "--wait") == 0)
      wait = true;

  walk_first ();
  if (once)
    return 0;
  if (share)
    {
      print_share ();
      return 0;
    }
  while (wait)
    if (getchar () == EOF)
      return 0;
  printf ("%.4f\n", fastest () * 1e9 / walk_count);
  return 0;
}
