/* Test the watchdog: when a process is stopped, it soon continues, even if
   SIGCONT was pending when it was stopped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE

#include "tracee/watch.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum
{
  LIMIT = 5000,   /* Milliseconds until the watchdog kills the process,  */
  TOO_LONG = 500, /* and milliseconds after which all SIGCONT of the watchdog
                     may be lost.  */
  TRIES = 10,
  STOPS = 3,
};

static long
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Stop this process MILLISECONDS after watch_begin, with SIGCONT blocked.
   With BETWEEN, the process calls watch_late and watch_end before it is
   stopped, as if the stop of the other process had ended with one of its
   threads late.  Exit with 0, or with 77 if the machine was too slow.  */
static void
be_stopped (unsigned int milliseconds, bool between)
{
  sigset_t signals;
  sigemptyset (&signals);
  sigaddset (&signals, SIGCONT);
  for (int i = 0; i < STOPS; ++i)
    {
      sigprocmask (SIG_BLOCK, &signals, NULL);
      const long since = now ();
      watch_begin (LIMIT);
      if (between)
        {
          watch_late ();
          watch_end ();
        }
      while (now () < since + milliseconds)
        usleep (1000);
      if (now () > since + TOO_LONG)
        _exit (77);
      raise (SIGSTOP);
      sigprocmask (SIG_UNBLOCK, &signals, NULL);
    }
  _exit (0);
}

/* Return true if a process continues that is stopped after MILLISECONDS.
   BETWEEN is that of be_stopped.  */
static bool
goes_on (unsigned int milliseconds, bool between)
{
  for (int i = 0; i < TRIES; ++i)
    {
      int status = 0;
      const pid_t pid = fork ();
      if (pid == 0)
        be_stopped (milliseconds, between);
      for (long since = now (); waitpid (pid, &status, WNOHANG) == 0;
           usleep (1000))
        if (now () > since + LIMIT / 2)
          {
            kill (pid, SIGKILL);
            waitpid (pid, &status, 0);
            return false;
          }
      if (!WIFEXITED (status) || WEXITSTATUS (status) != 77)
        return WIFEXITED (status) && WEXITSTATUS (status) == 0;
    }
  exit (77);
}

int
main (void)
{
  static const unsigned int times[] = { 0, 10, 30, 50, 100 };
  int failures = 0, cases = 0;
  for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
    for (int between = 0; between < 2; ++between, ++cases)
      if (!goes_on (times[i], between))
        {
          printf ("a process that was stopped after %u ms%s stays stopped\n",
                  times[i], between ? ", between stops" : "");
          ++failures;
        }
  if (failures == 0)
    printf ("ok watch: %d cases\n", cases);
  return failures != 0;
}
