/* The budget: how much time and memory the inspection of processes may use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process can make its own inspection slow by mapping very
   many files, or files whose headers describe very many parts.  The inspection
   of one process may use at most "most_of_process" plus a free amount
   (for_nothing), so that a slow process does not keep the command from
   inspecting the others.  A second budget applies to the whole run of the
   command.  If an inspection uses more than the free amount (for_nothing), the
   excess is subtracted from the budget of the run.  When the budget of the
   whole run is used up, the inspection of each further process may still use
   the time and memory in for_nothing.

   The time is CPU time, so it does not depend on the load of the machine.
   Inspecting a process with 64,000 mappings, the most that the kernel allows,
   takes less than a tenth of a second.  Inspecting most processes takes a
   millisecond or two.  */

#include "util/budget.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <time.h>

/* The limited quantities: time in nanoseconds, and memory in bytes.  */
enum
{
  TIME,
  BYTES,
  MEASURES
};

#define MS UINT64_C (1000000)
#define MIB (UINT64_C (1) << 20)
static const uint64_t for_nothing[MEASURES] = { 50 * MS, 1 * MIB },
                      most_of_process[MEASURES] = { 2000 * MS, 64 * MIB };

/* LEFT points to what is left of the budget of the command's whole run.  The
   amounts are in OWN or, after budget_share, in memory shared with other
   processes.  */
static uint64_t own[MEASURES] = { 60000 * MS, 2048 * MIB };
static uint64_t *left = own;

/* The process that is being inspected.  */
static struct
{
  bool begun;
  uint64_t start; /* The value of cpu_time when the inspection of the process
                     began.  */
  uint64_t used[MEASURES], most[MEASURES];
  unsigned int calls;
  const char *problem;
} now;

static uint64_t
cpu_time (void)
{
  struct timespec time;
  if (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time) != 0)
    return 0;
  return time.tv_sec * (1000 * MS) + time.tv_nsec;
}

void
budget_begin (void)
{
  budget_end ();
  now = (typeof (now)){ .begun = true, .start = cpu_time () };
  for (int i = 0; i < MEASURES; ++i)
    now.most[i] = for_nothing[i] + MIN (most_of_process[i], left[i]);
}

void
budget_end (void)
{
  if (!now.begun)
    return;
  now.begun = false;
  now.used[TIME] = cpu_time () - now.start;
  for (int i = 0; i < MEASURES; ++i)
    if (now.used[i] > for_nothing[i])
      left[i] -= MIN (now.used[i] - for_nothing[i], left[i]);
}

void
budget_share (void)
{
  if (left != own)
    return;
  uint64_t *shared = mmap (NULL, sizeof own, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED)
    left = memcpy (shared, own, sizeof own);
}

bool
budget_spend (size_t size)
{
  /* The number of calls of budget_spend between two readings of the clock;
     each reading takes a system call.  */
  enum
  {
    CALLS = 64,
  };
  if (!now.begun)
    return true;
  if (__builtin_add_overflow (now.used[BYTES], size, &now.used[BYTES])
      || now.used[BYTES] > now.most[BYTES])
    now.problem = "inspecting the process would take too much memory";
  else if (now.calls++ % CALLS == 0
           && cpu_time () - now.start > now.most[TIME])
    now.problem = "inspecting the process would take too long";
  if (now.problem == NULL)
    return true;
  errno = EDQUOT;
  return false;
}

bool
budget_check (struct problem *problem)
{
  return !now.begun || now.problem == NULL
         || problem_set (problem, "%s", now.problem);
}
