/* Open and close a library while a signal handler forks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   handler FILE COUNT
   Opens FILE COUNT times.  Each time, the handler forks at a different moment,
   and the child continues the same dlopen.  Prints how many children were
   ended by a signal, and whether any fork happened during a dlopen.  Under the
   stock loader, too, a child's dlopen may fail: parent and child share the
   descriptor from which they read the file, and so its file offset.  */

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

/* Open and close FILE; but a child only opens FILE, and then ends.  Return how
   many microseconds dlopen has taken, 0 if it failed because of a child, or -1
   after any other error.  */
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
  /* The child may have moved the file offset, so that dlopen fails in the
     parent.  */
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
