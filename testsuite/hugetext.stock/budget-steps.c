/* Count the instructions of a dlopen and dlclose, for the budget.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: budget-steps LIBRARY BEFORE TIMES

   A child opens and closes LIBRARY BEFORE times, and then TIMES times while it
   is traced, one instruction at a time.  Prints the mean number of
   instructions of one dlopen and dlclose.  Under valgrind, and in a traced
   process, the loader would not try to use huge pages of a file.  But the
   loader looks for a tracer only when it examines a file.  BEFORE is chosen so
   that the loader examines no file in the last TIMES rounds.  */

#include <dlfcn.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void
open_and_close (const char *name, int times)
{
  for (; times > 0; --times)
    {
      void *library = dlopen (name, RTLD_NOW);
      if (library == NULL || dlclose (library) != 0)
        errx (1, "%s", dlerror ());
    }
}

int
main (int argc, char **argv)
{
  if (argc != 4)
    errx (2, "usage: budget-steps LIBRARY BEFORE TIMES");
  const int times = atoi (argv[3]);
  long int steps = 0;
  int status;
  pid_t pid = fork ();
  if (pid < 0)
    err (1, "fork");
  if (pid == 0)
    {
      open_and_close (argv[1], atoi (argv[2]));
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        err (1, "PTRACE_TRACEME");
      raise (SIGSTOP);
      open_and_close (argv[1], times);
      _exit (0);
    }
  while (waitpid (pid, &status, 0) == pid && WIFSTOPPED (status))
    {
      if (ptrace (PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
        err (1, "PTRACE_SINGLESTEP");
      ++steps;
    }
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    errx (1, "status %#x", status);
  printf ("%ld\n", steps / times);
  return 0;
}
