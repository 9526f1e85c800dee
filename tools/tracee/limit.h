/* Interrupted system calls that have a timeout: restart them if possible.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   When a system call with a timeout is interrupted, the kernel makes it fail
   with EINTR, because the kernel does not remember when the call should end.
   If the command restarts the call, the call waits for its whole timeout
   again.  The restarted call ends late: the delay is the time for which the
   call had waited before the restart.  Programs tolerate a small delay better
   than EINTR: on a busy machine any call may end LIMIT_LATE too late, but not
   every program expects that a call fails with EINTR.  So the command restarts
   a call only if the restarted call will end at most LIMIT_LATE after its
   original deadline.  The kernel does not tell how long the call has already
   waited.  So the command assumes the longest possible time: the timeout or,
   if this is shorter, the time since it last saw that the thread was not in
   the call.  */

#ifndef LIMIT_H
#define LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The maximum number of nanoseconds by which a restarted call may end
   late.  */
#define LIMIT_LATE 100000000L

/* The value that stands for an unknown timeout.  */
#define LIMIT_UNKNOWN INT64_MAX

/* Return the nanoseconds of the struct timespec at ADDRESS in the memory of
   thread TID.  */
extern int64_t limit_time (pid_t tid, uintptr_t address);

/* The flag with which a call of io_uring_enter may have a timeout.  */
#define LIMIT_RING_EXTENDED (1UL << 3)

/* Thread TID is making a call of io_uring_enter with FLAGS and ARGUMENT.
   FLAGS include LIMIT_RING_EXTENDED.  Return the timeout of the call in
   nanoseconds.  Return 0 if the call cannot end too late when it is
   restarted.  */
extern int64_t limit_ring (pid_t tid, unsigned long flags, uintptr_t argument);

/* Return true if the command may restart the system call in which thread TID
   is stopped, and which has a timeout of LIMIT nanoseconds.  The call began
   after SINCE (a time of thread_now, or 0 if unknown).  The function
   remembers its result, because the call may be interrupted again.  */
extern bool limit_allows (pid_t tid, int64_t limit, long since);

/* Wait until the command can stop the process again and no restarted call then
   ends more than LIMIT_LATE after its original deadline.  The function does
   not wait for calls with long timeouts.  */
extern void limit_wait (void);

#endif
