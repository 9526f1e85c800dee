/* Interrupted system calls that have a timeout, and how they are restarted.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel makes such a call fail with EINTR, because it does not keep the
   time at which the call should end.  If restarted, the call waits for its
   whole timeout, and so ends too late by the time that it had already waited.
   On a busy machine all calls may end late, by as much as LIMIT_LATE, but not
   every program expects a call to fail with EINTR.  So the command restarts a
   call if it then ends at most that late.  The kernel does not say how long
   the call has waited: at most its timeout, and at most the time since the
   command saw the thread elsewhere.  */

#ifndef LIMIT_H
#define LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The nanoseconds by which a call may end too late.  */
#define LIMIT_LATE 100000000L

/* The timeout of an unknown call.  */
#define LIMIT_UNKNOWN INT64_MAX

/* Return the nanoseconds of the struct timespec at ADDRESS in thread TID.  */
extern int64_t limit_time (pid_t tid, uintptr_t address);

/* The flag of an io_uring_enter that may have a timeout.  */
#define LIMIT_RING_EXTENDED (1UL << 3)

/* Return the timeout of thread TID's io_uring_enter with such FLAGS and
   ARGUMENT; 0 if it cannot end late.  */
extern int64_t limit_ring (pid_t tid, unsigned long flags, uintptr_t argument);

/* Whether TID, stopped in a call with a timeout of LIMIT nanoseconds that
   began after SINCE (from thread_now; 0 if unknown), may restart the call.
   The function remembers the answer, because the call may be interrupted
   again.  */
extern bool limit_allows (pid_t tid, int64_t limit, long since);

/* Wait for the ends of restarted calls that must not be interrupted once more,
   because they would end too late; only for those that end soon.  */
extern void limit_wait (void);

#endif
