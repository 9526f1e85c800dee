/* Print how many processes a command leaves behind.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   left COMMAND [ARGUMENT...]

   The program runs the command, and prints how many processes the command or
   its children have started, but have not waited for.  When their parent ends,
   such processes get the nearest subreaper as their parent, which is this
   program.  The exit status is the command's.  */

#define _GNU_SOURCE 1
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  int status, left = 0;
  if (argc < 2 || prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    return 2;
  const pid_t pid = fork ();
  if (pid == 0)
    {
      execvp (argv[1], argv + 1);
      _exit (127);
    }
  if (waitpid (pid, &status, 0) != pid)
    return 2;
  while (waitpid (-1, NULL, 0) > 0)
    ++left;
  printf ("%d left\n", left);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 1;
}
