/* touch: a program that measures how long the kernel takes to hand out huge
   pages, both new pages and pages that were used before.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: cc -O2 -D_GNU_SOURCE -o touch bench/touch.c
          touch [PAGES [SECONDS]]

   Touches PAGES huge pages (default 512) three times: first after the program
   has allocated the pages, again after it has freed and allocated them at
   once, and again SECONDS (default 15) after it has freed them.  Prints the
   median of the processor time in milliseconds, and how many pages took more
   than a millisecond.  A virtual machine may report its free memory to the
   host.  When the guest uses a reported huge page again, the host must first
   find memory for the page.  If the loader copies text to a huge page, the
   host's search for memory takes most of the time.  Smaller pages have no such
   cost: the guest takes them from blocks of 2 MiB that are partly in use,
   which the guest does not report to the host as free.  */

#include <errno.h>
#include <error.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BLOCK ((size_t) 1 << 21)

/* A page that takes at least this many milliseconds counts as slow.  */
#define SLOW 1

static double
processor_ms (void)
{
  struct timespec time;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Touch the first COUNT huge pages of new memory, free them, and print the
   times with the label WHAT.  */
static void
touch (const char *what, size_t count, double *taken)
{
  size_t length = (count + 1) * BLOCK, slow = 0;
  char *memory = mmap (NULL, length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    error (EXIT_FAILURE, errno, "%zu huge pages", count);
  char *page = (char *) (((uintptr_t) memory + BLOCK - 1) & -BLOCK);
  if (madvise (page, count * BLOCK, MADV_HUGEPAGE) != 0)
    error (EXIT_FAILURE, errno, "no transparent huge pages");
  for (size_t i = 0; i < count; ++i)
    {
      unsigned char resident[BLOCK / 4096];
      double start = processor_ms ();
      page[i * BLOCK] = 1;
      taken[i] = processor_ms () - start;
      slow += taken[i] > SLOW;
      /* If the page is huge, touching one of its small pages makes all of them
         resident.  */
      if (mincore (page + i * BLOCK, BLOCK, resident) != 0
          || (resident[sizeof resident - 1] & 1) == 0)
        error (EXIT_FAILURE, 0, "page %zu is not huge", i);
    }
  munmap (memory, length);
  qsort (taken, count, sizeof *taken, compare);
  printf ("%s: %.2f ms, slowest %.2f ms, %zu of %zu over %d ms\n", what,
          taken[count / 2], taken[count - 1], slow, count, SLOW);
}

int
main (int argc, char **argv)
{
  long count = argc > 1 ? atol (argv[1]) : 512;
  long seconds = argc > 2 ? atol (argv[2]) : 15;
  double *taken = malloc (count > 0 ? count * sizeof *taken : 1);
  if (count <= 0 || seconds < 0 || taken == NULL)
    error (2, 0, "usage: touch [PAGES [SECONDS]]");
  touch ("first", count, taken);
  touch ("again", count, taken);
  sleep (seconds);
  touch ("later", count, taken);
  free (taken);
  return 0;
}
