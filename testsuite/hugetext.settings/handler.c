/* Open and close a library while a signal handler forks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   handler FILE COUNT
   Opens FILE COUNT times.  Each time the handler forks at another moment, and
   the child goes on with the same dlopen.  Prints how many children a signal
   has ended, and whether a fork has come during a dlopen.  A child's dlopen
   may fail under the stock loader, too: parent and child read the file through
   one descriptor, so they share its offset.  */

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t opening, during;
static volatile pid_t child = -1;

static void
handle_alarm (int signal)
{
  const pid_t pid = fork ();
  if (pid == 0 && !opening)
    _exit (0);
  during |= opening;
  child = pid < 0 ? -2 : pid;
}

/* Open and close FILE, as a child only open it, and end.  Return how many
   microseconds dlopen has taken, or -1.  */
static long int
open_once (const char *file)
{
  struct timespec from, to;
  clock_gettime (CLOCK_MONOTONIC, &from);
  opening = 1;
  void *handle = dlopen (file, RTLD_NOW);
  opening = 0;
  clock_gettime (CLOCK_MONOTONIC, &to);
  if (child == 0)
    _exit (0);
  /* The parent's dlopen may fail for the same reason.  */
  if (handle == NULL)
    return child > 0 ? 0 : -1;
  if (dlclose (handle) != 0)
    return -1;
  return ((to.tv_sec - from.tv_sec) * 1000000
          + (to.tv_nsec - from.tv_nsec) / 1000);
}

int
main (int argc, char **argv)
{
  if (argc != 3 || signal (SIGALRM, handle_alarm) == SIG_ERR)
    return 2;
  const long int count = atol (argv[2]), time = open_once (argv[1]);
  int ended = 0;
  for (long int i = 1; i <= count; ++i)
    {
      child = -1;
      const struct itimerval timer
          = { .it_value.tv_usec = 1 + time * i / (count + 1) % 999999 };
      if (time < 0 || setitimer (ITIMER_REAL, &timer, NULL) != 0
          || open_once (argv[1]) < 0)
        return 2;
      while (child == -1)
        usleep (100);
      int status;
      if (child < 0 || waitpid (child, &status, 0) != child)
        return 2;
      ended += WIFSIGNALED (status);
    }
  printf ("%d ended, %s\n", ended, during ? "during" : "never during");
  return 0;
}
