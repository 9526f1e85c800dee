/* Frames: a library that gives the same physical memory to runs that are
   compared.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   In a virtual machine the host backs some huge pages of the guest with huge
   pages, and others with small pages, which makes a large difference.  The
   kernel first hands out the memory that was freed last on the same processor.
   To choose the memory of each run, this library allocates a large piece of
   memory.  Before each run, the library frees the pages that the kernel will
   hand out: the same pages for all variants in a round, and other pages in the
   next round.  */

#include "frames.h"

#include <error.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Bytes of a huge page.  */
#define BLOCK ((size_t) 1 << 21)

/* The library allocates this many pages for each page that it frees before a
   run.  */
#define HELD_PER_FREE 4

static char *held;
static size_t nheld, nfree;
static size_t *order; /* A permutation of the held pages.  */

static void
stay_here (void)
{
  cpu_set_t here;
  int cpu = sched_getcpu ();
  CPU_ZERO (&here);
  if (cpu >= 0)
    CPU_SET (cpu, &here);
  if (sched_setaffinity (0, sizeof here, &here) != 0)
    error (EXIT_FAILURE, errno, "sched_setaffinity");
}

void
frames_hold (size_t count)
{
  nfree = count;
  nheld = HELD_PER_FREE * count;
  if (nheld == 0)
    return;
  stay_here ();
  held = mmap (NULL, (nheld + 1) * BLOCK, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (held == MAP_FAILED)
    error (EXIT_FAILURE, errno,
           "cannot reserve address space for %zu huge pages", nheld);
  held = (char *) (((uintptr_t) held + BLOCK - 1) & -BLOCK);
  if (madvise (held, nheld * BLOCK, MADV_HUGEPAGE) != 0)
    error (EXIT_FAILURE, errno, "no transparent huge pages");
  order = malloc (nheld * sizeof *order);
  if (order == NULL)
    error (EXIT_FAILURE, errno, "malloc");
  for (size_t i = 0; i < nheld; ++i)
    order[i] = i;
}

void
frames_choose (void)
{
  for (size_t i = 0; i < nfree; ++i)
    {
      size_t k = i + random () % (nheld - i);
      size_t other = order[k];
      order[k] = order[i];
      order[i] = other;
    }
}

void
frames_offer (void)
{
  for (size_t i = 0; i < nheld; ++i)
    held[i * BLOCK] = 1;
  for (size_t i = 0; i < nfree; ++i)
    if (madvise (held + order[i] * BLOCK, BLOCK, MADV_DONTNEED) != 0)
      error (EXIT_FAILURE, errno, "madvise");
}
