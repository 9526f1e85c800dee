/* Locks: root's commands wait for one another with a timeout.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOCK_H
#define LOCK_H

#include "util/problem.h"

#include <stdint.h>

/* The milliseconds for which a user's command waits for another command with
   the lock.  The start of a service may take 90 seconds (systemd's
   default).  */
#define LOCK_LIMIT 120000

/* Take the lock of the file PATH until the returned descriptor is closed.
   While another process holds the lock, wait until END, a time of
   clock_milliseconds.  Report a wait of more than a second on standard error
   for the command WHO, a name or NULL; WHAT names what the lock protects.
   Return -1 and set PROBLEM, which names the holder.  */
extern int lock_take (const char *path, int64_t end, const char *who,
                      const char *what, struct problem *problem);

#endif
