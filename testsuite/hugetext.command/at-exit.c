/* A library for LD_PRELOAD: at the end of a process, "hugetext status"
   examines the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Environment variables say what to do in process N:

     HUGETEXT_STATUS    the directory for the output; the output of "hugetext
                        status" goes to the file N in this directory
     HUGETEXT_COMMAND   the command hugetext
     HUGETEXT_FIRST     "attach": first attach to the process; "undo": first
                        attach to the process, and undo this
     HUGETEXT_EXPLAIN   if set, the output of "hugetext explain" goes to N.why,
                        that of "hugetext attach --dry-run" to N.attach, that
                        of "hugetext list" to N.list, and the process's smaps
                        to N.smaps
     HUGETEXT_OUTSIDE   if set, ask the test to make N.attach

   The name of a file ends in ".new" until the file is complete.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run VERB of COMMAND for this process, with OPTION and OTHER unless they are
   NULL.  The output goes to a file in DIR, whose name is the process ID and
   ENDING.  "cat" is not a verb, but a program, which prints the file
   OPTION.  */
static void
look (const char *command, const char *verb, const char *option,
      const char *other, const char *dir, const char *ending)
{
  char file[4096], whole[4096], number[32];
  snprintf (number, sizeof number, "%d", (int) getpid ());
  snprintf (whole, sizeof whole, "%s/%s%s", dir, number, ending);
  snprintf (file, sizeof file, "%s/%s%s.new", dir, number, ending);
  pid_t pid = vfork ();
  if (pid == 0)
    {
      int fd = open (file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (fd < 0 || dup2 (fd, STDOUT_FILENO) < 0
          || dup2 (fd, STDERR_FILENO) < 0)
        _exit (1);
      /* The verb "list" examines all processes.  */
      const char *which = strcmp (verb, "list") == 0 ? NULL : number;
      char *argv[7] = { (char *) command, (char *) verb, "--json" };
      size_t n = 3;
      if (option != NULL)
        argv[n++] = (char *) option;
      if (other != NULL)
        argv[n++] = (char *) other;
      argv[n] = (char *) which;
      char *const cat[] = { "cat", (char *) option, NULL };
      char *const nothing[] = { NULL };
      if (strcmp (verb, "cat") == 0)
        execve ("/bin/cat", cat, nothing);
      execve (command, argv, nothing);
      _exit (1);
    }
  waitpid (pid, NULL, 0);
  rename (file, whole);
}

/* Ask the test to run a dry run of attach for this process, from outside of
   its seccomp filter, and wait until the answer is there.  */
static void
ask_outside (const char *dir)
{
  char ask[4096], answer[4096];
  snprintf (ask, sizeof ask, "%s/%d.ask", dir, (int) getpid ());
  snprintf (answer, sizeof answer, "%s/%d.attach", dir, (int) getpid ());
  close (open (ask, O_WRONLY | O_CREAT, 0666));
  for (int i = 0; i < 6000 && access (answer, F_OK) != 0; ++i)
    usleep (10000);
}

static void __attribute__ ((destructor)) look_at_exit (void)
{
  const char *dir = getenv ("HUGETEXT_STATUS");
  const char *command = getenv ("HUGETEXT_COMMAND");
  sigset_t all;
  if (dir == NULL || command == NULL)
    return;
  /* Block all signals, because the program does not expect these children.  */
  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, NULL);
  const char *first = getenv ("HUGETEXT_FIRST");
  if (first != NULL)
    look (command, "attach", "--max=64", NULL, dir, ".attached");
  if (first != NULL && strcmp (first, "undo") == 0)
    look (command, "attach", "--undo", NULL, dir, ".undone");
  if (getenv ("HUGETEXT_EXPLAIN") != NULL)
    {
      char smaps[64];
      snprintf (smaps, sizeof smaps, "/proc/%d/smaps", (int) getpid ());
      look (command, "explain", NULL, NULL, dir, ".why");
      /* The dry run uses the same cap as explain.  */
      const bool attached = first != NULL && strcmp (first, "attach") == 0;
      if (getenv ("HUGETEXT_OUTSIDE") != NULL)
        ask_outside (dir);
      else
        look (command, "attach", "--dry-run", attached ? "--max=64" : NULL,
              dir, ".attach");
      look (command, "list", NULL, NULL, dir, ".list");
      look (command, "cat", smaps, NULL, dir, ".smaps");
    }
  look (command, "status", NULL, NULL, dir, "");
}
