/* Call functions in many pages of text in a fixed random order, and print the
   nanoseconds that a call takes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: walk [--ideal] [--share | --wait]

   --ideal: first have the text on pages of the hugetlb pool, which is easy
   here, since nothing else shares its blocks.  --share: print instead which
   percentage of the text is on huge pages, as the kernel says.  --wait: wait
   for the end of the input instead.  */

#include <error.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

extern char walk_text[], walk_end[];

/* Bytes of a page, and where in page I its function is, as in walk.S.  */
#define PAGE 4096
#define OFFSET(i) (13 * (i) % 63 * 64 + 32)

/* Time at least this long, seconds.  */
#define LONG_ENOUGH 0.15

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
    error (EXIT_FAILURE, errno, "cannot put huge pages in place");
}

/* Print how much of the text is huge: what smaps says of mappings that lie
   in it or contain it, in proportion.  */
static void
print_share (void)
{
  const uintptr_t text = (uintptr_t)walk_text, end = (uintptr_t)walk_end;
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
  /* Blocks at the ends may be huge as well, that belong to the mapping.  */
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

/* Call all COUNT functions in their order.  */
static void __attribute__ ((noinline))
call_all (void (**functions) (void), size_t count)
{
  for (size_t i = 0; i < count; i++)
    functions[i]();
}

int
main (int argc, char **argv)
{
  bool share = false, wait = false;
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--ideal") == 0)
      make_ideal ();
    else if (strcmp (argv[i], "--share") == 0)
      share = true;
    else if (strcmp (argv[i], "--wait") == 0)
      wait = true;

  size_t count = (walk_end - walk_text) / PAGE;
  void (**functions) (void) = malloc (count * sizeof *functions);
  uint64_t seed = 1;
  if (functions == NULL)
    error (EXIT_FAILURE, errno, "no memory");
  for (size_t i = 0; i < count; i++)
    {
      seed = seed * 6364136223846793005 + 1442695040888963407;
      size_t k = (seed >> 33) % (i + 1);
      functions[i] = functions[k];
      functions[k] = (void (*) (void)) (walk_text + i * PAGE + OFFSET (i));
    }

  call_all (functions, count);
  if (share)
    {
      print_share ();
      return 0;
    }
  while (wait)
    if (getchar () == EOF)
      return 0;
  size_t rounds = 0;
  double start = now (), time;
  do
    {
      call_all (functions, count);
      rounds++;
    }
  while ((time = now () - start) < LONG_ENOUGH);
  printf ("%.4f\n", time * 1e9 / rounds / count);
  return 0;
}
