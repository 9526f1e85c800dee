/* Test that a lease lasts as long as it should if somebody sets the clock, and
   if the rival is in another time namespace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The memory on which commands take the lease is a file.  This program
   replaces clock_gettime, so that it sets the clock that the lease reads, and
   not the machine's clock.  */

#include "tracee/lease.h"
#include "plan-test.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#  define CLONE_NEWTIME 0x80
#endif

enum
{
  HOUR = 3600,
  RIVAL = 500000, /* How long a rival tries to take the lease, in microseconds;
                     less than the duration of the lease.  */
};

/* By how many seconds somebody has set CLOCK_REALTIME forward.  */
static long step;

int
clock_gettime (clockid_t clock, struct timespec *time)
{
  const int result = syscall (SYS_clock_gettime, clock, time);
  if (clock == CLOCK_REALTIME)
    time->tv_sec += step;
  return result;
}

/* Return true if a new process can take the lease of MEMORY.  If OFFSET is not
   0, the process is in a new time namespace, where CLOCK_MONOTONIC is OFFSET
   seconds ahead.  Set *CAN to false if there cannot be such a namespace.  */
static bool
rival_takes (int memory, long offset, bool *can)
{
  int status;
  *can = true;
  const pid_t child = fork ();
  if (child == 0)
    {
      char text[64];
      if (offset != 0)
        {
          int length
              = snprintf (text, sizeof text, "monotonic %ld 0\n", offset);
          int fd = -1;
          if (unshare (CLONE_NEWTIME) == 0)
            fd = open ("/proc/self/timens_offsets", O_WRONLY);
          if (fd < 0 || write (fd, text, length) != length)
            _exit (77);
          /* Only children are in the new namespace.  */
          const pid_t inner = fork ();
          if (inner != 0)
            {
              waitpid (inner, &status, 0);
              _exit (WIFEXITED (status) ? WEXITSTATUS (status) : 1);
            }
        }
      struct lease lease;
      struct problem problem;
      const struct itimerval limit = { .it_value.tv_usec = RIVAL };
      setitimer (ITIMER_REAL, &limit, NULL);
      _exit (lease_take (&lease, memory, 0, &problem) ? 0 : 1);
    }
  if (child < 0 || waitpid (child, &status, 0) != child)
    return false;
  *can = !WIFEXITED (status) || WEXITSTATUS (status) != 77;
  return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static void
test_step (long by)
{
  bool can;
  struct lease lease;
  struct problem problem;
  const int memory = memfd_create ("lease", MFD_CLOEXEC);
  EXPECT (memory >= 0 && ftruncate (memory, LEASE_SIZE) == 0);
  EXPECT (rival_takes (memory, 0, &can));
  EXPECT (lease_take (&lease, memory, 0, &problem));
  EXPECT (!rival_takes (memory, 0, &can));
  step = by;
  EXPECT (!rival_takes (memory, 0, &can));
  EXPECT (lease_renew (&lease));
  EXPECT (!rival_takes (memory, 0, &can));
  lease_end (&lease);
  step = 0;
}

/* Return false if there are no time namespaces.  */
static bool
test_namespace (long offset)
{
  bool can, taken;
  struct lease lease;
  struct problem problem;
  const int memory = memfd_create ("lease", MFD_CLOEXEC);
  EXPECT (memory >= 0 && ftruncate (memory, LEASE_SIZE) == 0);
  EXPECT (lease_take (&lease, memory, 0, &problem));
  taken = rival_takes (memory, offset, &can);
  EXPECT (!can || !taken);
  lease_end (&lease);
  return can;
}

int
main (void)
{
  test_step (HOUR);
  test_step (-HOUR);
  group_done ("the clock is set", 2);
  if (!test_namespace (HOUR))
    {
      puts ("not here: time namespaces");
      return 77;
    }
  /* The kernel allows no offset that makes the clock negative.  */
  test_namespace (1);
  group_done ("another time namespace", 2);
  return 0;
}
