/* The facts by which the command recognises a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tracee-facts: checks that a child that does not change keeps its facts, and
   that a child gets different facts if it changes its group, its user (and so
   its capabilities) or its program.  The exit status is 0 if both hold.  */

#include "tracee/refusal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Make the change CHANGE: "g" is the group, "u" the user, "x" the program.  */
static void
become_other (char change)
{
  char *const arguments[] = { "sleep", "100", NULL };
  int failed = 0;
  if (change == 'g')
    failed = setgid (65534);
  if (change == 'u')
    failed = setuid (65534);
  if (change == 'x')
    failed = execvp (arguments[0], arguments);
  if (failed)
    _exit (1);
}

/* Return 1 if the facts of a child before and after CHANGE differ, 0 if they
   do not, or -1 if there was an error.  */
static int
differ (char change)
{
  struct tracee_facts facts;
  struct problem problem;
  int begin[2], done[2];
  char byte = 0;
  if (pipe (begin) != 0 || pipe2 (done, O_CLOEXEC) != 0)
    return -1;
  const pid_t pid = fork ();
  if (pid == 0)
    {
      if (read (begin[0], &byte, 1) == 1)
        become_other (change);
      /* If the child has executed another program, the kernel has closed these
         descriptors.  */
      close (done[0]);
      close (done[1]);
      for (;;)
        pause ();
    }
  bool good = pid > 0 && tracee_remember (pid, &facts)
              && tracee_check_facts (pid, &facts, &problem)
              && write (begin[1], &byte, 1) == 1;
  close (done[1]);
  good = (good && read (done[0], &byte, 1) == 0
          && waitpid (pid, NULL, WNOHANG) == 0);
  const int result = good ? !tracee_check_facts (pid, &facts, &problem) : -1;
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  close (begin[0]);
  close (begin[1]);
  close (done[0]);
  return result;
}

int
main (void)
{
  static const char changes[] = "-gux";
  int status = 0;
  for (const char *change = changes; *change != '\0'; ++change)
    if (differ (*change) != (*change != '-'))
      {
        printf ("%c: %d\n", *change, differ (*change));
        status = 1;
      }
  return status;
}
