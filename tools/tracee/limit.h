/* Interrupted system calls that have a timeout, and how they are restarted.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel makes such a call fail with EINTR, because it does not keep the
   time at which the call should end.  If restarted, the call waits for its
   whole timeout, and so ends late, by the time that the call had already
   waited.  On a busy machine any call may end late by LIMIT_LATE, but not
   every program expects a call to fail with EINTR.  So the command restarts a
   call if the call then ends late by at most LIMIT_LATE.  The kernel does not
   say how long the call has waited.  The command assumes the longest possible
   time: the timeout or, if that is shorter, the time since the command saw the
   thread outside the call.  */

#ifndef LIMIT_H
#define LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The time by which a restarted call may end late, in nanoseconds.  */
#define LIMIT_LATE 100000000L

/* The value for a timeout that is not known.  */
#define LIMIT_UNKNOWN INT64_MAX

/* Return the nanoseconds of the struct timespec at ADDRESS in the memory of
   thread TID.  */
extern int64_t limit_time (pid_t tid, uintptr_t address);

/* The flag of an io_uring_enter that says that the call may have a
   timeout.  */
#define LIMIT_RING_EXTENDED (1UL << 3)

/* Return the timeout of thread TID's io_uring_enter with FLAGS, which include
   LIMIT_RING_EXTENDED, and ARGUMENT, or 0 if a restarted call cannot end
   late.  */
extern int64_t limit_ring (pid_t tid, unsigned long flags, uintptr_t argument);

/* Whether TID, stopped in a call with a timeout of LIMIT nanoseconds that
   began after SINCE (from thread_now; 0 if unknown), may restart the system
   call.  The function remembers the answer, because the call may be
   interrupted again.  */
extern bool limit_allows (pid_t tid, int64_t limit, long since);

/* Wait until restarted system calls have ended that would end too late if they
   were interrupted again.  Do not wait for calls with long timeouts.  */
extern void limit_wait (void);

#endif
