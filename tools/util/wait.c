/* Wait until child processes of the command end, within a time limit, and kill
   all remaining child processes before the command exits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/wait.h"
#include "util/clock.h"
#include "util/signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The pause between two checks of a child, in milliseconds.  */
enum
{
  MOMENT = 1
};

/* Wait until the process with the pidfd FD has ended, but for at most MOMENT
   milliseconds.  If FD is -1, wait for MOMENT milliseconds.  Return false if
   poll fails.  Return false, too, if poll returns at once although waitpid
   does not report the end of the process yet, because a tracer of the process
   has not waited for the process.  */
static bool
wait_moment (int fd)
{
  return poll (&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, MOMENT) == 0;
}

/* Wait for MOMENT milliseconds.  If poll returns at once, call sleep_moment
   instead of wait_moment, to avoid a busy loop.  */
static void
sleep_moment (void)
{
  nanosleep (&(struct timespec){ .tv_nsec = MOMENT * 1000000 }, NULL);
}

bool
wait_status (pid_t pid, int64_t end, int *status)
{
  const int64_t now = clock_milliseconds ();
  const int64_t last = (end > now ? end : now) + WAIT_FAREWELL * 1000;
  pid_t ended = waitpid (pid, status, WNOHANG);
  /* Before Linux 5.3, and if a filter forbids the call, there is no pidfd.  */
  const int process
      = ended == 0 && pid > 0 ? syscall (__NR_pidfd_open, pid, 0) : -1;
  for (bool waits = true; ended == 0 && clock_milliseconds () < last;)
    {
      if (clock_milliseconds () >= end)
        signals_send (pid, SIGKILL);
      if (waits)
        waits = wait_moment (process);
      else
        sleep_moment ();
      ended = waitpid (pid, status, WNOHANG);
    }
  const int error = errno;
  if (process >= 0)
    close (process);
  errno = error;
  if (ended < 0)
    *status = -1;
  return ended != 0;
}

bool
wait_until (pid_t pid, int64_t end)
{
  int ignored;
  return wait_status (pid, end, &ignored);
}

static void
kill_children (void)
{
  char path[64];
  int pid;
  snprintf (path, sizeof path, "/proc/self/task/%d/children", (int) getpid ());
  FILE *file = fopen (path, "re");
  while (file != NULL && fscanf (file, "%d", &pid) == 1)
    signals_send (pid, SIGKILL);
  if (file != NULL)
    fclose (file);
}

void
wait_kill_all (void)
{
  const int64_t last = clock_milliseconds () + WAIT_FAREWELL * 1000;
  pid_t pid;
  while ((pid = waitpid (-1, NULL, WNOHANG)) >= 0
         && clock_milliseconds () < last)
    if (pid == 0)
      {
        kill_children ();
        sleep_moment ();
      }
}

bool
wait_end_with (pid_t parent, int signal)
{
  /* If a seccomp filter forbids prctl, the kernel sends no signal, so that
     this process may continue to run when PARENT has ended.  */
  prctl (PR_SET_PDEATHSIG, signal, 0, 0, 0);
  return getppid () == parent;
}
