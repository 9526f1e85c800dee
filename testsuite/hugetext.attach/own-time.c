/* Run a command, and print how much of its time is not due to a busy machine.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   own-time COMMAND [ARG...]

   At the end "took T waited W stolen S" goes to standard error: T is the time
   in seconds from the command's start to its end.  In W seconds of this time
   the command could have run, but the kernel gave the processors to other
   programs.  S is the time that the host has taken from all processors
   together.  So load on the machine cannot explain the rest of the time, T - W
   - S.  The exit status is the command's, or 125 if this status or the times
   are not known.  */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Return the number that FORMAT finds in FILE.  If there is no number, end
   the program.  */
static double
number (const char *file, const char *format)
{
  unsigned long long n;
  FILE *stream = fopen (file, "re");
  if (stream == NULL || fscanf (stream, format, &n) != 1)
    exit (125);
  fclose (stream);
  return n;
}

static double
stolen (void)
{
  return number ("/proc/stat", "cpu %*u %*u %*u %*u %*u %*u %*u %llu")
         / sysconf (_SC_CLK_TCK);
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int
main (int argc, char **argv)
{
  const double before = now (), lost = stolen ();
  siginfo_t end;
  char file[64];
  if (argc < 2)
    return 125;
  const pid_t child = fork ();
  if (child == 0)
    {
      execvp (argv[1], argv + 1);
      _exit (125);
    }
  /* Leave the child a zombie, because the kernel forgets a child's times when
     its parent has waited for it.  */
  if (child < 0 || waitid (P_PID, child, &end, WEXITED | WNOWAIT) != 0)
    return 125;
  snprintf (file, sizeof file, "/proc/%d/schedstat", (int) child);
  fprintf (stderr, "took %.2f waited %.2f stolen %.2f\n", now () - before,
           number (file, "%*u %llu") / 1e9, stolen () - lost);
  return end.si_code == CLD_EXITED ? end.si_status : 125;
}
