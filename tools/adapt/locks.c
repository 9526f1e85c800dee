/* Locks on processes: only one "hugetext adapt" of a user at a time adapts a
   process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The locks are in a file that only this user can open.  If other users could
   lock the file, for example a file of the process in /proc, they could keep
   root from adapting their processes.  Therefore root and the owner of a
   process do not see each other's locks, and both adapt the process.

   A lock has the number of the process.  Commands in a container and outside
   it normally have different files, so they do not see each other's locks
   either.  If they share /run but not the process IDs, a lock may refuse
   another process with the same ID.  */

#include "adapt/locks.h"
#include "trust/lock.h"
#include "util/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Open this user's file of locks.  Do not ask the environment for the
   directory, because two commands of a user may have different
   environments.  */
static int
locks_open_file (void)
{
  char path[64] = "/run/hugetext-adapt.lock";
  if (geteuid () != 0)
    snprintf (path, sizeof path, "/run/user/%u/hugetext-adapt.lock",
              (unsigned int) geteuid ());
  return lock_open (path);
}

/* Return the index of process PID in LOCKS, or the number of processes if
   LOCKS does not have it.  */
static size_t
locks_find_process (const struct adapt_locks *locks, pid_t pid)
{
  size_t i = 0;
  while (i < locks->count && locks->pids[i] != pid)
    ++i;
  return i;
}

/* Give back the locks that OLD has and NEW does not need.  */
static void
locks_release_unneeded (const struct adapt_locks *old,
                        const struct adapt_locks *new)
{
  for (size_t i = 0; i < old->count; ++i)
    if (!old->refused[i]
        && locks_find_process (new, old->pids[i]) == new->count)
      unlock_number (old->file, old->pids[i]);
}

static void
free_lists (struct adapt_locks *locks)
{
  free (locks->pids);
  free (locks->refused);
}

bool
adapt_locks_take (struct adapt_locks *locks, const pid_t *pids, size_t count,
                  const char *name,
                  void (*say) (const char *name,
                               const struct problem *problem),
                  struct problem *problem)
{
  struct adapt_locks new
      = { .file = locks->file >= 0 ? locks->file : locks_open_file (),
          .pids = allocate (count * sizeof *new.pids),
          .refused = allocate (count * sizeof *new.refused),
          .count = count };
  size_t refused = 0;
  for (size_t i = 0; i < count; ++i)
    {
      new.pids[i] = pids[i];
      new.refused[i] = new.file >= 0 && !lock_number (new.file, pids[i]);
      refused += new.refused[i];
    }
  for (size_t i = 0; i < count; ++i)
    {
      const size_t k = locks_find_process (locks, pids[i]);
      if (!new.refused[i])
        continue;
      struct problem one;
      problem_set (&one,
                   "another hugetext adapt is adapting process %d; end it "
                   "first, because each would undo the changes of the other",
                   (int) pids[i]);
      if (refused == count)
        *problem = one;
      else if (!(k < locks->count && locks->refused[k]))
        say (name, &one);
    }
  locks_release_unneeded (locks, &new);
  free_lists (locks);
  *locks = new;
  return count == 0 || refused < count;
}

void
adapt_locks_free (struct adapt_locks *locks)
{
  free_lists (locks);
  if (locks->file >= 0)
    close (locks->file);
  *locks = (struct adapt_locks){ .file = -1 };
}
