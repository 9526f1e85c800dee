/* The budget of an inspection: the time and memory that looking at processes
   may take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process can make itself slow to look at: by its mappings, and by the
   headers of files that it maps.  Limits for each process make sure that
   others are still seen.  An ordinary process's share is free; more is charged
   to the process's owner and to the whole run, which have limits, too: many
   processes together cannot take what one cannot.  An owner whose limit is
   used up still has the free share of each process.

   The time is CPU time, so that a busy machine changes nothing.  A process
   with 64,000 mappings, the most that the kernel allows, takes less than a
   tenth of a second; most processes take a millisecond or two.  */

#include "util/budget.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* The limits: nanoseconds, and bytes.  */
enum
{
  TIME,
  BYTES,
  MEASURES
};
struct amounts
{
  uint64_t of[MEASURES];
};

#define MS UINT64_C (1000000)
#define MIB (UINT64_C (1) << 20)
static const struct amounts for_nothing = { { 50 * MS, 1 * MIB } },
                            most_of_process = { { 2000 * MS, 64 * MIB } },
                            most_of_owner = { { 10000 * MS, 512 * MIB } },
                            most_of_run = { { 60000 * MS, 2048 * MIB } };

struct owner
{
  uid_t uid;
  struct amounts charged;
};

static struct
{
  struct owner *owners;
  size_t nowners;
  struct amounts charged;
} run;

/* The process that is being looked at.  */
static struct
{
  bool begun;
  uid_t owner;
  uint64_t start; /* The time of the beginning, by clock ().  */
  struct amounts used, most;
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

/* Return the amounts charged to UID; NULL if there is no memory.  */
static struct amounts *
charged_to (uid_t uid)
{
  for (size_t i = 0; i < run.nowners; ++i)
    if (run.owners[i].uid == uid)
      return &run.owners[i].charged;
  struct owner *list
      = reallocarray (run.owners, run.nowners + 1, sizeof *list);
  if (list == NULL)
    return NULL;
  run.owners = list;
  list[run.nowners] = (struct owner){ .uid = uid };
  return &list[run.nowners++].charged;
}

/* Return MOST less *USED; MOST if USED is NULL.  */
static uint64_t
rest (uint64_t most, const uint64_t *used)
{
  return used == NULL ? most : *used >= most ? 0 : most - *used;
}

static uint64_t
min_of (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

void
budget_begin (uid_t owner)
{
  budget_end ();
  const struct amounts *charged = charged_to (owner);
  now.begun = true;
  now.owner = owner;
  now.start = cpu_time ();
  now.used = (struct amounts){ 0 };
  now.calls = 0;
  now.problem = NULL;
  for (int i = 0; i < MEASURES; ++i)
    now.most.of[i]
        = for_nothing.of[i]
          + min_of (min_of (most_of_process.of[i],
                            rest (most_of_run.of[i], &run.charged.of[i])),
                    rest (most_of_owner.of[i],
                          charged != NULL ? &charged->of[i] : NULL));
}

void
budget_end (void)
{
  if (!now.begun)
    return;
  struct amounts *charged = charged_to (now.owner);
  now.begun = false;
  now.used.of[TIME] = cpu_time () - now.start;
  for (int i = 0; i < MEASURES; ++i)
    {
      uint64_t more = rest (now.used.of[i], &for_nothing.of[i]);
      run.charged.of[i] += more;
      if (charged != NULL)
        charged->of[i] += more;
    }
}

bool
budget_spend (size_t size)
{
  /* Calls between two looks at the clock, which is a system call.  */
  enum
  {
    CALLS = 16,
  };
  if (!now.begun)
    return true;
  if (__builtin_add_overflow (now.used.of[BYTES], size, &now.used.of[BYTES])
      || now.used.of[BYTES] > now.most.of[BYTES])
    now.problem = "there is too much of it to be looked at";
  else if (now.calls++ % CALLS == 0
           && cpu_time () - now.start > now.most.of[TIME])
    now.problem = "it would take too long to look at";
  if (now.problem == NULL)
    return true;
  errno = EDQUOT;
  return false;
}

const char *
budget_problem (void)
{
  return now.begun ? now.problem : NULL;
}
