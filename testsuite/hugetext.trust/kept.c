/* Simulate readers that the kernel keeps waiting.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: kept COUNT USER
   Starts COUNT processes that wait in the kernel, like processes that read a
   file whose server does not answer.  For each process, prints a line of
   /run/hugetext-stuck that says that the process waits because of the files of
   USER.  Then waits until it is killed.  The processes wait for children of
   vfork that do not continue.  */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "waiting.h"

/* Wait until process PID is blocked in the kernel, and return its start
   time.  */
static unsigned long long
find_start (pid_t pid)
{
  char path[64], state = '?';
  unsigned long long start = 0;
  snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
  while (state != 'D')
    {
      FILE *file = fopen (path, "r");
      if (file == NULL
          || fscanf (file,
                     "%*d (%*[^)]) %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u"
                     " %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                     &state, &start)
                 != 2)
        exit (1);
      fclose (file);
    }
  return start;
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 1;
  struct stat space;
  if (stat ("/proc/self/ns/pid", &space) != 0)
    return 1;
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  const pid_t self = getpid ();
  for (int i = 0; i < atoi (argv[1]); ++i)
    {
      const pid_t pid = fork ();
      if (pid == 0)
        wait_in_kernel (self);
      printf ("%d %llu %d %s %llu\n", (int) pid, find_start (pid), -2 - i,
              argv[2], (unsigned long long) space.st_ino);
      fflush (stdout);
    }
  for (;;)
    pause ();
}
