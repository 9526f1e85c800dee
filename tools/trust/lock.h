/* Locks: root's commands wait for one another, but not without a limit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOCK_H
#define LOCK_H

#include <stdint.h>

/* Milliseconds for which a command that a user has called waits for another
   one: starting a service may take 90 seconds (systemd's default).  */
#define LOCK_LIMIT 120000

/* Take the lock of the file PATH until the returned descriptor is closed.
   While another process has it, wait until END of clock_milliseconds, and
   report a wait of more than a second to standard error for the command WHO, a
   name or NULL: WHAT is being changed.  Return -1 with *PROBLEM in static
   memory, which names that process.  */
extern int lock_take (const char *path, int64_t end, const char *who,
                      const char *what, const char **problem);

#endif
