/* Locks: root's commands wait for one another, but only up to a time limit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOCK_H
#define LOCK_H

#include "util/problem.h"

#include <stdbool.h>
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

/* Open the file PATH for locks that this user can take, and create it if it
   does not exist.  Other users cannot open the file, and so cannot lock it.
   Return a descriptor, or -1 with errno set.  */
extern int lock_open (const char *path);

/* A file has a lock for each number.  lock_number takes the lock of NUMBER in
   the file of FD, without waiting.  Return false if another process holds it.
   This process and its children hold the lock until the last of them closes
   FD, or one of them calls unlock_number.  The function also returns true if
   the file system has no locks.  */
extern bool lock_number (int fd, int64_t number);
extern void unlock_number (int fd, int64_t number);

#endif
