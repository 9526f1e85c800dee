/* A program that runs through megabytes of its text on request, and prints the
   time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For each line of standard input the program does what the line says:

     run        run through the text once, before anything else of the file
                is touched
     data       the same, but touch the read-only data first
     pageout    reclaim the mapping of the text (MADV_PAGEOUT)
     all        the same for all executable mappings
     half       the same for the first half of each block of the text
     cold       give the mapping of the text the advice MADV_COLD
     off        switch transparent huge pages off, as MariaDB does

   Then the program prints the sum that the text computes, which is always the
   same, and how many microseconds and major faults this took.  The first
   access decides whether reclaimed pages are read again as huge pages.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#ifndef MADV_PAGEOUT
#  define MADV_COLD 20
#  define MADV_PAGEOUT 21
#endif

/* Execute an instruction in each page of the text, because a call alone
   touches only one page.  */
#define PAGE(n)                                                     \
  __asm__ volatile("jmp 1f; .fill 4000, 1, 0x90; 1:" ::: "memory"); \
  a += n;
#define PAGES_4(n) PAGE (n) PAGE (n + 1) PAGE (n + 2) PAGE (n + 3)
#define PAGES_16(n) \
  PAGES_4 (n) PAGES_4 (n + 4) PAGES_4 (n + 8) PAGES_4 (n + 12)
#define PAGES_64(n) PAGES_16 (n) PAGES_16 (n) PAGES_16 (n) PAGES_16 (n)

#define FUNCTION(name)                          \
  __attribute__ ((noinline)) long name (long a) \
  {                                             \
    PAGES_64 (1)                                \
    return a;                                   \
  }

/* clang-format off */
FUNCTION (hot0) FUNCTION (hot1) FUNCTION (hot2) FUNCTION (hot3)
FUNCTION (hot4) FUNCTION (hot5) FUNCTION (hot6) FUNCTION (hot7)
FUNCTION (hot8) FUNCTION (hot9) FUNCTION (hotA) FUNCTION (hotB)
FUNCTION (hotC) FUNCTION (hotD) FUNCTION (hotE) FUNCTION (hotF)
    /* clang-format on */

    /* Read-only data after the text, so that whole blocks of the file contain
       all of the text.  */
    const char padding[0x200000]
    = { 1 };

#define BLOCK 0x200000UL

static long
microseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Advise the kernel about the addresses from START to END or, if HALF is true,
   about the first half of each block in this range.  */
static void
advise_range (unsigned long int start, unsigned long int end, int advice,
              int half)
{
  unsigned long int next;
  for (; start < end; start = next)
    {
      next = half ? (start / BLOCK + 1) * BLOCK : end;
      next = next < end ? next : end;
      const unsigned long int size = (next - start) / (half ? 2 : 1);
      if (madvise ((void *) start, size & -4096UL, advice) != 0)
        printf ("advice %d: %s ", advice, strerror (errno));
    }
}

/* Advise the kernel about the mappings that contain the text or, if ALL is
   true, about all executable mappings.  HALF is an argument for
   advise_range.  */
static void
advise (int advice, int all, int half)
{
  char line[512];
  unsigned long int start, end;
  char perms[5];
  FILE *stream = fopen ("/proc/self/./maps", "r");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "%lx-%lx %4s", &start, &end, perms) == 3
        && perms[2] == 'x'
        && (all || (start < (uintptr_t) hotF && end > (uintptr_t) hot0)))
      advise_range (start, end, advice, half);
  if (stream != NULL)
    fclose (stream);
}

int
main (void)
{
  char line[64];

  setvbuf (stdout, NULL, _IOLBF, 0);
  while (fgets (line, sizeof line, stdin) != NULL)
    {
      struct rusage before, after;
      volatile long sum = 0;
      getrusage (RUSAGE_SELF, &before);
      long start = microseconds ();
      /* Compare characters: a string would be read-only data.  */
      if (line[0] == 'p')
        advise (MADV_PAGEOUT, 0, 0);
      else if (line[0] == 'a')
        advise (MADV_PAGEOUT, 1, 0);
      else if (line[0] == 'h')
        advise (MADV_PAGEOUT, 0, 1);
      else if (line[0] == 'c')
        advise (MADV_COLD, 0, 0);
      else if (line[0] == 'o')
        sum = prctl (PR_SET_THP_DISABLE, 1, 0, 0, 0);
      else
        {
          if (line[0] == 'd')
            sum = ((volatile const char *) padding)[4096] * sum;
          sum = hot0 (sum) + hot1 (sum) + hot2 (sum) + hot3 (sum) + hot4 (sum)
                + hot5 (sum) + hot6 (sum) + hot7 (sum) + hot8 (sum)
                + hot9 (sum) + hotA (sum) + hotB (sum) + hotC (sum)
                + hotD (sum) + hotE (sum) + hotF (sum);
        }
      start = microseconds () - start;
      getrusage (RUSAGE_SELF, &after);
      printf ("%ld in %ld us, %ld major faults\n", sum, start,
              after.ru_majflt - before.ru_majflt);
    }
  return 0;
}
