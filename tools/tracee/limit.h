/* System calls with a limit of time that a stop has interrupted, and that are
   begun again.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel has such a call fail with EINTR, because it keeps no time at
   which the call was to end.  Begun again, the call waits for its whole limit,
   and so ends too late by the time that it had waited before.  On a machine
   that is busy all calls may end late, by as much as LIMIT_LATE; but a call
   that fails with EINTR is one that not every program expects.  So a call is
   begun again if it then ends at most that late.  How long it has waited the
   kernel does not say; it is at most the call's limit, and at most the time
   since the command has seen the thread somewhere else.  */

#ifndef LIMIT_H
#define LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds by which a call may end too late.  */
#define LIMIT_LATE 100000000L

/* The limit of a call that is not known.  */
#define LIMIT_UNKNOWN INT64_MAX

/* Return the nanoseconds of the struct timespec at ADDRESS in thread TID.  */
extern int64_t limit_time (pid_t tid, uintptr_t address);

/* The flag of an io_uring_enter that may have a limit.  */
#define LIMIT_RING_EXTENDED (1UL << 3)

/* Return the limit of thread TID's io_uring_enter with such FLAGS and
   ARGUMENT; 0 if it cannot end late.  */
extern int64_t limit_ring (pid_t tid, unsigned long flags, uintptr_t argument);

/* Whether TID, which is stopped in a call with LIMIT nanoseconds that has
   begun after SINCE, by thread_now, may begin the call again; 0 if nothing is
   known of its beginning.  The answer is remembered: the call may be
   interrupted again.  */
extern bool limit_allows (pid_t tid, int64_t limit, long since);

/* Wait for the ends of calls that were begun again and must not be interrupted
   once more, as they would end too late; of those only that end soon.  */
extern void limit_wait (void);

#endif
