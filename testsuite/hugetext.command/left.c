/* How many processes a command leaves behind.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   left COMMAND [ARGUMENT...] runs the command, and prints how many of the
   processes that it or its children have started it has not waited for.  Their
   parent is then the nearest subreaper, which is this program.  Exit status:
   the command's.  */

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
