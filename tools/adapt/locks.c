/* Locks on processes: only one "hugetext adapt" at a time adapts a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "adapt/locks.h"
#include "host/process.h"
#include "util/allocate.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Remove from LOCKS the lock on the process of the descriptor FD.  Return its
   descriptor, or -1 if there is none.  */
static int
find_held (struct adapt_locks *locks, int fd)
{
  for (size_t i = 0; i < locks->count; ++i)
    if (process_lock_is_same (locks->list[i], fd))
      {
        const int held = locks->list[i];
        locks->list[i] = locks->list[--locks->count];
        return held;
      }
  return -1;
}

bool
adapt_locks_take (struct adapt_locks *locks, const pid_t *pids, size_t count,
                  struct problem *problem)
{
  struct adapt_locks old = *locks;
  bool good = true;
  *locks = (struct adapt_locks){ .list = allocate (count * sizeof (int)) };
  for (size_t i = 0; good && i < count; ++i)
    {
      int fd = process_lock_open (pids[i]);
      const int held = fd >= 0 ? find_held (&old, fd) : -1;
      if (held >= 0)
        {
          close (fd);
          fd = held;
        }
      else if (fd >= 0 && !process_lock_take (fd))
        {
          good = errno != EWOULDBLOCK;
          close (fd);
          fd = -1;
        }
      if (fd >= 0)
        locks->list[locks->count++] = fd;
      if (!good)
        problem_set (problem,
                     "another hugetext adapt is adapting process %d; end it "
                     "first, because each would undo the changes of the other",
                     (int) pids[i]);
    }
  adapt_locks_free (&old);
  return good;
}

void
adapt_locks_free (struct adapt_locks *locks)
{
  for (size_t i = 0; i < locks->count; ++i)
    close (locks->list[i]);
  free (locks->list);
  *locks = (struct adapt_locks){ .count = 0 };
}
