/* Interrupted system calls that have a timeout: restart them if possible.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/limit.h"
#include "tracee/thread.h"
#include "host/process.h"

#include <sys/uio.h>
#include <time.h>

/* A system call that the command has restarted.  */
struct again
{
  pid_t tid;
  long since;    /* A time at which the system call had not begun yet.  */
  long at;       /* The time at which the call was restarted.  */
  int64_t limit; /* The timeout of the call in nanoseconds, or 0 if the command
                    did not restart the call, so that it failed with EINTR.  */
  long switches; /* The number of times that the thread had gone to sleep
                    before the restart.  */
};

/* The restarted calls of all threads.  The index of a thread's element is the
   thread's ID modulo the size of the list.  If two threads have the same
   index, the command restarts only the calls of the first thread; calls of the
   second thread fail with EINTR.  */
static struct again list[4096];

/* Read the SIZE bytes at ADDRESS of thread TID's memory.  */
static bool
limit_read_memory (pid_t tid, uintptr_t address, void *to, size_t size)
{
  const struct iovec here = { to, size };
  const struct iovec there = { (void *) address, size };
  return process_vm_readv (tid, &here, 1, &there, 1, 0) == (ssize_t) size;
}

static int64_t
nanoseconds (int64_t seconds, int64_t rest)
{
  enum
  {
    MOST = 1000000, /* The maximum timeout, in seconds, of a call that the
                       command restarts.  */
  };
  return (seconds >= 0 && seconds < MOST && rest >= 0
              ? seconds * 1000000000 + rest
              : LIMIT_UNKNOWN);
}

int64_t
limit_time (pid_t tid, uintptr_t address)
{
  struct timespec time;
  return (limit_read_memory (tid, address, &time, sizeof time)
              ? nanoseconds (time.tv_sec, time.tv_nsec)
              : LIMIT_UNKNOWN);
}

int64_t
limit_ring (pid_t tid, unsigned long flags, uintptr_t argument)
{
  /* Flags from <linux/io_uring.h>, added in Linux 6.12 and 6.13.  */
  enum
  {
    ABS_TIMER = 1 << 5,
    EXT_ARG_REG = 1 << 6,
  };
  struct
  {
    uint64_t mask;
    uint32_t mask_size, least;
    uint64_t time;
  } extended;
  if ((flags & EXT_ARG_REG) != 0
      || !limit_read_memory (tid, argument, &extended, sizeof extended))
    return LIMIT_UNKNOWN;
  if (extended.time == 0)
    return extended.least == 0 ? 0 : LIMIT_UNKNOWN;
  /* If the timeout is an absolute time, a restarted call does not end
     late.  */
  if ((flags & ABS_TIMER) != 0)
    return 0;
  return limit_time (tid, extended.time);
}

bool
limit_allows (pid_t tid, int64_t limit, long since)
{
  struct again *again = &list[tid % (sizeof list / sizeof *list)];
  const long now = thread_now ();
  const long switches = process_number (tid, "voluntary_ctxt_switches:");
  /* Do not restart the call of thread TID if the list element belongs to
     another thread with the same index.  */
  if (again->tid != 0 && again->tid != tid)
    return false;
  /* The thread may still be in the call that the command restarted after an
     earlier stop.  Assume that the thread is in the restarted call if the
     thread has gone to sleep at most twice since the restart, once in the call
     and once for a stop.  A call with a timeout of at most LIMIT_LATE is over
     if the command has seen the thread outside of the call after the end of
     the timeout.  */
  if (again->tid == tid && again->limit > 0 && switches <= again->switches + 2
      && (again->limit > LIMIT_LATE || since < again->at + again->limit))
    since = again->since;
  else
    {
      if (again->tid == tid && since < again->at)
        since = again->at;
      if (limit < now && since < now - limit)
        since = now - limit;
    }
  const bool allowed = now - since <= LIMIT_LATE;
  *again = (struct again){ tid, since, now, allowed ? limit : 0, switches };
  return allowed;
}

/* AGAIN describes a system call that the command has restarted in a thread.
   Return true if the thread is still in the restarted call, or is about to
   begin the call again.  */
static bool
is_waiting (const struct again *again)
{
  struct process process;
  const long switches
      = process_number (again->tid, "voluntary_ctxt_switches:");
  return (switches >= 0
          && (switches <= again->switches
              || (switches == again->switches + 1
                  && process_read (again->tid, &process)
                  && process.state == 'S')));
}

/* Return true if the restarted call of a thread must not be interrupted
   now.  */
static bool
any_waits (void)
{
  enum
  {
    /* The estimated time in nanoseconds from the interruption of a call until
       its restart, on a busy machine.  */
    STOP = LIMIT_LATE / 2,
  };
  const long now = thread_now ();
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
    if (list[i].limit > 0 && list[i].limit <= LIMIT_LATE
        && now + STOP > list[i].since + LIMIT_LATE
        && now < list[i].at + 2 * LIMIT_LATE && is_waiting (&list[i]))
      return true;
  return false;
}

void
limit_wait (void)
{
  enum
  {
    PAUSE = 2000000,
  };
  while (any_waits ())
    thread_rest (PAUSE);
}
