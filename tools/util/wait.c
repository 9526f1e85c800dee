/* Waiting for children of the command, with a limit of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/wait.h"
#include "util/clock.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* Milliseconds for the end of a child that was killed.  */
#define FAREWELL 1000

void
wait_kill (pid_t child)
{
  siginfo_t info;
  if (child > 0
      && waitid (P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
    kill (child, SIGKILL);
}

bool
wait_until (pid_t pid, int64_t end)
{
  static const struct timespec moment = { .tv_nsec = 1000000 };
  const int64_t now = clock_milliseconds ();
  const int64_t last = (end > now ? end : now) + FAREWELL;
  while (waitpid (pid, NULL, WNOHANG) == 0)
    {
      if (clock_milliseconds () >= last)
        return false;
      if (clock_milliseconds () >= end)
        kill (pid, SIGKILL);
      nanosleep (&moment, NULL);
    }
  return true;
}
