/* Locks: root's commands wait for one another, but only up to a time limit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOCK_H
#define LOCK_H

#include "util/problem.h"

#include <stdint.h>

/* The maximum number of milliseconds that a user's command waits while another
   command holds the lock.  (Starting a service may take 90 seconds, by
   systemd's default.)  */
#define LOCK_LIMIT 120000

/* Take the lock on the file PATH, and return its descriptor.  The process
   holds the lock until this descriptor is closed.  If another process holds
   the lock, wait until END, a time of clock_milliseconds.  If the wait takes
   more than a second, report it on standard error.  The report begins with
   WHO, the waiting command, unless WHO is NULL.  For messages, WHAT is the
   name of the thing that the lock protects.  On failure return -1, and set
   PROBLEM, which says which process holds the lock.  */
extern int lock_take (const char *path, int64_t end, const char *who,
                      const char *what, struct problem *problem);

#endif
