/* The lease on the memory of another process: only one hugetext command at a
   time works on this memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/lease.h"
#include "tracee/thread.h"
#include "tracee/watch.h"
#include "util/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS UINT64_C (1000000)

enum
{
  /* The duration of a lease in milliseconds.  A lease outlasts two stops of
     the maximum duration (WATCH_LIMIT), so that its owner can renew it in
     time.  */
  LEASE = 3 * WATCH_LIMIT,
  QUICK = 10,
  SETTLED = 20,
  PATIENCE = LEASE + 1000,
};

uint64_t
lease_owner (pid_t tid)
{
  /* The PID namespace of this process and of its children never changes.  */
  static uint32_t namespace;
  struct stat status;
  if (namespace == 0 && stat ("/proc/self/ns/pid", &status) == 0)
  namespace = status.st_ino;
  return (uint64_t) namespace << 32 | (uint32_t) tid;
}

bool
lease_owner_ended (uint64_t owner)
{
  pid_t tid = (uint32_t) owner;
  return (tid > 0 && owner == lease_owner (tid) && kill (tid, 0) != 0
          && errno == ESRCH);
}

/* Return by how many nanoseconds CLOCK_MONOTONIC is ahead in the time
   namespace of this process.  The kernel's file contains the offset for
   children of this process.  Only a forked child of the command (worker.h)
   uses the lease.  Such a child is in the time namespace for its own children,
   so the offset is also right for the child itself.  The offset is 0 before
   Linux 5.6, which has no time namespaces.  */
static int64_t
lease_find_clock_offset (void)
{
  char line[128];
  int64_t seconds = 0, rest = 0;
  bool found = false;
  FILE *file = fopen ("/proc/self/timens_offsets", "re");
  while (file != NULL && !found && fgets (line, sizeof line, file) != NULL)
    found = sscanf (line, "monotonic %" SCNd64 " %" SCNd64, &seconds, &rest)
            == 2;
  if (file != NULL)
    fclose (file);
  return found ? seconds * INT64_C (1000000000) + rest : 0;
}

/* Return the time in nanoseconds, from a clock that nobody can set, and that
   is the same in all time namespaces: CLOCK_MONOTONIC of the first time
   namespace.  The time namespace of a process never changes.  */
static uint64_t
lease_get_time (void)
{
  static int64_t offset;
  static pid_t known;
  if (known != getpid ())
    {
      offset = lease_find_clock_offset ();
      known = getpid ();
    }
  return clock_nanoseconds () - offset;
}

static bool
lease_read_memory (const struct lease *lease, uint64_t word[2])
{
  return (pread (lease->memory, word, LEASE_SIZE, lease->address)
          == LEASE_SIZE);
}

static bool
lease_write_memory (const struct lease *lease, uint64_t until, uint64_t whose)
{
  const uint64_t word[] = { until, whose };
  return (pwrite (lease->memory, word, LEASE_SIZE, lease->address)
          == LEASE_SIZE);
}

static bool
lease_is_own (const struct lease *lease)
{
  uint64_t word[2];
  return (lease_read_memory (lease, word) && word[0] == lease->until
          && word[1] == lease->mark);
}

/* Return 1 if the lease is free, 0 if another command has it, or -1 if the
   lease's memory cannot be read.  Set *AT to a time shortly before the
   function reads the lease.  */
static int
lease_is_free_now (const struct lease *lease, uint64_t *at)
{
  uint64_t word[2], again[2];
  *at = lease_get_time ();
  if (!lease_read_memory (lease, word))
    return -1;
  if (word[0] <= *at || word[1] == lease->mark || lease_owner_ended (word[1]))
    return 1;
  if (word[0] <= *at + LEASE * MS)
    return 0;
  /* No command writes an expiry time later than LEASE from now.  A word with
     an expiry time later than LEASE from now is either a lease that another
     command has only half written, or no lease at all.  A half-written lease
     changes soon, so read the word again.  */
  thread_rest (SETTLED * MS);
  *at = lease_get_time ();
  if (!lease_read_memory (lease, again))
    return -1;
  return again[0] == word[0] && again[1] == word[1];
}

/* The lease was free at the time AT.  Write this command's lease to the
   process's memory.  Return true if this command now has the lease: it wrote
   the lease less than QUICK milliseconds after AT, and SETTLED milliseconds
   later no other command had overwritten it.  */
static bool
claim (struct lease *lease, uint64_t at)
{
  lease->until = at + LEASE * MS;
  if (!lease_write_memory (lease, lease->until, lease->mark))
    return false;
  const uint64_t after = lease_get_time ();
  thread_rest (SETTLED * MS);
  return after >= at && after - at < QUICK * MS && lease_is_own (lease);
}

bool
lease_take (struct lease *lease, int memory, uintptr_t address,
            struct problem *problem)
{
  *lease = (struct lease){ .memory = memory, .address = address };
  const uint64_t end = lease_get_time () + PATIENCE * MS;
  lease->mark = lease_owner (getpid ());
  for (;;)
    {
      uint64_t at;
      if (!watch_begin (WATCH_LIMIT))
        return problem_set (problem, WATCH_PROBLEM);
      int is = lease_is_free_now (lease, &at);
      bool had = is > 0 && claim (lease, at);
      watch_end ();
      if (had)
        return true;
      if (is < 0)
        return problem_set (problem, "the process has ended or executed "
                                     "another program while hugetext waited");
      if (lease_get_time () > end)
        return problem_set (
            problem, "another hugetext command is changing the process");
      thread_rest ((5 + getpid () % 7) * MS);
    }
}

bool
lease_renew (struct lease *lease)
{
  if (lease->memory < 0)
    return true;
  const uint64_t at = lease_get_time ();
  /* The lease must last longer than the stop, which the watchdog (watch.h)
     limits.  */
  if (lease->until < at + (WATCH_LIMIT + 100) * MS || !lease_is_own (lease))
    return false;
  lease->until = at + LEASE * MS;
  return lease_write_memory (lease, lease->until, lease->mark);
}

void
lease_end (struct lease *lease)
{
  if (lease->memory < 0)
    return;
  if (lease_is_own (lease))
    lease_write_memory (lease, 0, 0);
  close (lease->memory);
  lease->memory = -1;
}
