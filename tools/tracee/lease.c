/* The lease on the memory of another process: one hugetext at a time works on
   it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/lease.h"
#include "tracee/watch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C (1000000)

enum
{
  /* Milliseconds: longer than two commands can take one after the other.  */
  LEASE = 3 * WATCH_LIMIT,
  QUICK = 10,
  SETTLED = 20,
  PATIENCE = LEASE + 1000,
};

uint64_t
lease_owner (pid_t tid)
{
  struct stat status = { .st_ino = 0 };
  stat ("/proc/self/ns/pid", &status);
  return (uint64_t) status.st_ino << 32 | (uint32_t) tid;
}

bool
lease_owner_ended (uint64_t owner)
{
  pid_t tid = (uint32_t) owner;
  return (tid > 0 && owner == lease_owner (tid) && kill (tid, 0) != 0
          && errno == ESRCH);
}

/* Return nanoseconds of a clock that is the same in all time namespaces.  */
static uint64_t
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_REALTIME, &time);
  return time.tv_sec * UINT64_C (1000000000) + time.tv_nsec;
}

static void
wait_for (long milliseconds)
{
  struct timespec rest = { .tv_nsec = milliseconds * MS };
  while (nanosleep (&rest, &rest) != 0 && errno == EINTR)
    continue;
}

static bool
get (const struct lease *lease, uint64_t word[2])
{
  return (pread (lease->memory, word, LEASE_SIZE, lease->address)
          == LEASE_SIZE);
}

/* Write our own word, which holds until UNTIL.  */
static bool
put (struct lease *lease, uint64_t until)
{
  lease->word[0] = until;
  return (pwrite (lease->memory, lease->word, LEASE_SIZE, lease->address)
          == LEASE_SIZE);
}

static bool
is_ours (const struct lease *lease)
{
  uint64_t word[2];
  return get (lease, word) && memcmp (word, lease->word, sizeof word) == 0;
}

/* Take LEASE if it is free.  Return 1, 0 if it is not, or another process was
   faster, -1 if it cannot be read.  A word that ends later than any lease is
   something else.  */
static int
try_to_take (struct lease *lease)
{
  uint64_t word[2];
  const uint64_t at = now ();
  if (!get (lease, word))
    return -1;
  if (word[0] > at && word[0] <= at + LEASE * MS && word[1] != lease->word[1]
      && !lease_owner_ended (word[1]))
    return 0;
  if (!put (lease, at + LEASE * MS))
    return -1;
  const uint64_t after = now ();
  wait_for (SETTLED);
  return after >= at && after - at < QUICK * MS && is_ours (lease);
}

const char *
lease_take (struct lease *lease, int memory, uintptr_t address)
{
  *lease = (struct lease){ memory, address, { 0, lease_owner (getpid ()) } };
  const uint64_t end = now () + PATIENCE * MS;
  int had;
  do
    {
      watch_begin (WATCH_LIMIT);
      had = try_to_take (lease);
      watch_end ();
      if (had == 0)
        wait_for (5 + getpid () % 7);
    }
  while (had == 0 && now () < end);
  return had > 0   ? NULL
         : had < 0 ? "it has ended, or executed another program meanwhile"
                   : "another hugetext is at work on it";
}

bool
lease_renew (struct lease *lease)
{
  if (lease->memory < 0)
    return true;
  const uint64_t at = now ();
  /* It is too late: watch.h would end this process before the lease ends.  */
  return (lease->word[0] >= at + (WATCH_LIMIT + 100) * MS && is_ours (lease)
          && put (lease, at + LEASE * MS));
}

void
lease_end (struct lease *lease)
{
  if (lease->memory < 0)
    return;
  if (is_ours (lease))
    {
      lease->word[1] = 0;
      put (lease, 0);
    }
  close (lease->memory);
  lease->memory = -1;
}
