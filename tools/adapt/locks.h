/* Locks on processes: only one "hugetext adapt" at a time adapts a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two loops with different limits would undo each other's changes again and
   again.  */

#ifndef ADAPT_LOCKS_H
#define ADAPT_LOCKS_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The locks that this process and its children hold.  */
struct adapt_locks
{
  int *list; /* The descriptors from process_lock.  */
  size_t count;
};

/* Hold locks on the COUNT processes PIDS, and on no others.  Keep those of
   LOCKS that are still needed.  If another "hugetext adapt" holds one of the
   locks, set PROBLEM and return false.  A process that cannot be locked for
   another reason has ended, or this user may not change it: leave it out.  */
extern bool adapt_locks_take (struct adapt_locks *locks, const pid_t *pids,
                              size_t count, struct problem *problem);

extern void adapt_locks_free (struct adapt_locks *locks);

#endif
