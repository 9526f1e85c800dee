/* Wait for children of the command, and end them when the command ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/wait.h"
#include "util/clock.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Kill CHILD if it is a child of this process for which this process has not
   waited yet.  (After the wait, the ID of CHILD may belong to another
   process.)  */
static void
kill_child (pid_t child)
{
  siginfo_t info;
  if (child > 0
      && waitid (P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
    kill (child, SIGKILL);
}

/* The pause between two checks of a child.  */
static const struct timespec moment = { .tv_nsec = 1000000 };

bool
wait_status (pid_t pid, int64_t end, int *status)
{
  const int64_t now = clock_milliseconds ();
  const int64_t last = (end > now ? end : now) + WAIT_FAREWELL * 1000;
  pid_t ended;
  while ((ended = waitpid (pid, status, WNOHANG)) == 0)
    {
      if (clock_milliseconds () >= last)
        return false;
      if (clock_milliseconds () >= end)
        kill (pid, SIGKILL);
      nanosleep (&moment, NULL);
    }
  if (ended < 0)
    *status = -1;
  return true;
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
    kill_child (pid);
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
        nanosleep (&moment, NULL);
      }
}

bool
wait_end_with (pid_t parent, int signal)
{
  /* If a seccomp filter forbids prctl, this process may end later than
     PARENT.  */
  prctl (PR_SET_PDEATHSIG, signal, 0, 0, 0);
  return getppid () == parent;
}
