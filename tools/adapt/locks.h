/* Locks on processes: only one "hugetext adapt" of a user at a time adapts a
   process.
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
  int file;      /* The descriptor of the file of locks, or -1.  */
  pid_t *pids;   /* The processes of the last call of adapt_locks_take.  */
  bool *refused; /* REFUSED[i] is true if another "hugetext adapt" has the lock
                    on PIDS[i].  */
  size_t count;
};

/* Hold locks on the COUNT processes PIDS, and on no others.  Call SAY with
   NAME for each process that another "hugetext adapt" adapts, unless the last
   call has already reported this process.  If no process is left, set PROBLEM
   instead and return false.  If locks are impossible, for example because this
   user has no directory for the file, return true.  */
extern bool adapt_locks_take (struct adapt_locks *locks, const pid_t *pids,
                              size_t count, const char *name,
                              void (*say) (const char *name,
                                           const struct problem *problem),
                              struct problem *problem);

extern void adapt_locks_free (struct adapt_locks *locks);

#endif
