/* The probe of the data TLB: it measures how long loads from huge and small
   pages take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the host backs the memory of a virtual machine with small pages, no TLB
   entry can be larger than a small page, so a huge page of the guest takes
   many TLB entries.  The probe measures whether a huge page takes many TLB
   entries, because no register of the CPU shows how many TLB entries a huge
   page takes, and virtual machines rarely have performance counters.  The
   probe makes a chain of loads from many parts of one huge page, more parts
   than any first-level TLB has entries, and measures its time.  If the huge
   page takes many TLB entries, the loads take as long as loads from equally
   many small pages.  The probe uses the data TLB, because a program cannot
   make instruction fetches wait for each other.  The result is true for the
   instruction TLB too, because both TLBs get their entries from the same page
   tables.  */

#include "tlb/tlb.h"
#include "host/memory.h"
#include "host/procmaps.h"

#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum
{
  /* First-level data TLBs have 32 to 128 entries.  256 lines of 64 bytes,
     distributed over the cache's sets, fill half of the smallest first-level
     cache.  */
  LOADS = 256,
  LINE = 64,
  /* The distance between the used small pages, in pages, so that one TLB entry
     never covers several of them.  */
  APART = 8,
  PASSES = 16,
  ROUNDS = 24,
};

/* The probe stores the results of loads in this variable, so that the compiler
   does not remove the loads.  */
static void *volatile sink;

/* Make a chain of LOADS cache lines in MEMORY.  In each small page that the
   chain uses, it visits PER_PAGE cache lines.  The pages that the chain uses
   are at multiples of STEP bytes in MEMORY, each moved up by fewer than SPREAD
   small pages.  The order of the lines is irregular, so that the CPU does not
   prefetch them.  */
static void **
make_chain (char *memory, size_t step, size_t spread, size_t per_page)
{
  const size_t page = getpagesize (), lines = page / LINE;
  size_t places = LOADS / per_page;
  void **first = NULL, **last = NULL;
  for (size_t i = 0; i < LOADS; ++i)
    {
      /* LOADS is a power of two and 149 is odd, so K takes each value below
         LOADS once.  */
      size_t k = i * 149 % LOADS;
      size_t place = k % places, line = (k / places + place * 13) % lines;
      void **load = (void **) (memory + place * step
                               + place * 5 % spread * page + line * LINE);
      if (last != NULL)
        *last = load;
      else
        first = load;
      last = load;
    }
  *last = first;
  return first;
}

/* Follow the pointers of CHAIN, and return how many nanoseconds one memory
   load takes.  */
static double
time_chain (void **chain)
{
  struct timespec start, end;
  for (size_t i = 0; i < LOADS; ++i)
    chain = *chain;
  clock_gettime (CLOCK_MONOTONIC, &start);
  for (size_t i = 0; i < PASSES * LOADS; ++i)
    chain = *chain;
  sink = chain;
  clock_gettime (CLOCK_MONOTONIC, &end);
  return ((end.tv_sec - start.tv_sec) * 1e9 + end.tv_nsec - start.tv_nsec)
         / (PASSES * LOADS);
}

/* Among the COUNT blocks at MEMORY, find those that the kernel has mapped with
   huge pages, and store their addresses in HUGE.  Return the number of
   addresses in HUGE.  */
static size_t
find_huge (char *memory, size_t count, char *huge[])
{
  const size_t block = procmaps_block ();
  struct procmaps maps;
  struct pages pages;
  size_t found = 0;
  if (procmaps_read (getpid (), &maps) != 0)
    return 0;
  if (pages_open (&pages, getpid (), &maps) == 0)
    {
      for (size_t i = 0; i < count; ++i)
        {
          uintptr_t start = (uintptr_t) memory + i * block;
          struct page_counts counts
              = pages_count (&pages, start, start + block);
          if (counts.huge == block && !counts.guessed)
            huge[found++] = memory + i * block;
        }
      pages_close (&pages);
    }
  procmaps_free (&maps);
  return found;
}

/* Measure the time of loads from TIMES->count huge pages at HUGE, and of loads
   from the small pages at SMALL.  In each round, measure each huge page once,
   and the small pages once.  Use the times of the fastest round, because
   disturbances can only make a round slower.  */
static void
time_all (struct tlb_times *times, char *huge[], char *small)
{
  const size_t page = getpagesize (), part = procmaps_block () / LOADS;
  void **chains[2 + TLB_PROBE_PAGES];
  double *best[2 + TLB_PROBE_PAGES] = { &times->apart, &times->near };
  chains[0] = make_chain (small, APART * page, APART, 1);
  /* Compare two chains that differ only in the number of small pages: both
     have the same number of cache lines, so they use the same amount of the
     CPU's cache.  */
  chains[1] = make_chain (small + LOADS * APART * page, page, 1, page / LINE);
  for (size_t i = 0; i < times->count; ++i)
    {
      chains[2 + i] = make_chain (huge[i], part, part / page, 1);
      best[2 + i] = &times->huge[i];
    }
  for (size_t i = 0; i < ROUNDS * (2 + times->count); ++i)
    {
      const size_t k = i % (2 + times->count);
      const double now = time_chain (chains[k]);
      if (i == k || now < *best[k])
        *best[k] = now;
    }
}

bool
tlb_probe (struct tlb_times *times, struct problem *problem)
{
  const size_t block = procmaps_block (), page = getpagesize ();
  char *huge[TLB_PROBE_PAGES];
  struct memory_room room;
  struct problem why;
  const bool known = memory_ask (0, 0, &room, &why);
  /* If memory limits do not allow TLB_PROBE_PAGES huge pages, test fewer.  */
  const size_t fit = room.left / 2 / block;
  const size_t count = fit < TLB_PROBE_PAGES ? fit : TLB_PROBE_PAGES;
  const size_t small = LOADS * APART * page + LOADS * LINE;
  /* The mapped memory begins with the huge pages, and the small pages
     follow.  */
  const size_t size = (count + 1) * block + small;
  *times = (struct tlb_times){ 0 };
  if (block / LOADS < page || block > (size_t) 4 << 20)
    return problem_set (problem,
                        "the huge pages of this machine are not 2 MiB large");
  if (!known)
    return problem_set (problem,
                        "it is unknown how much memory is left for the test");
  if (count == 0)
    return problem_set (problem,
                        "memory limits leave no huge page for the test");
  char *mapped = mmap (NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return problem_set (problem, "there is no address space for the test");
  char *memory = (char *) (((uintptr_t) mapped + block - 1) & -block);
  /* If the kernel has no huge pages, madvise fails, and all blocks are on
     small pages.  */
  madvise (memory, count * block, MADV_HUGEPAGE);
  madvise (memory + count * block, small, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < count; ++i)
    memory[i * block] = 1;
  times->count = find_huge (memory, count, huge);
  if (times->count > 0)
    time_all (times, huge, memory + count * block);
  munmap (mapped, size);
  return times->count > 0
         || problem_set (problem, "the kernel gave no huge page");
}
