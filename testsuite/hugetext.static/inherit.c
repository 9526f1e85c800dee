/* Execute a program that inherits properties that few programs inherit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   inherit WORD... -- PROGRAM ARG...
   blocked   all signals are blocked
   ignored   SIGCHLD, SIGURG, SIGTTOU and SIGPIPE are ignored
   death     it gets SIGTERM when its parent ends
   leader    it leads a session
   child     it has a child that sleeps
   zombie    it has a child that has ended
   files N   it may have at most N descriptors
   size      it may write no file larger than 1 MiB
   no-thp    it may have no transparent huge pages  */

#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void
limit (int resource, rlim_t value)
{
  if (setrlimit (resource, &(struct rlimit){ value, value }) != 0)
    err (1, "setrlimit");
}

static void
have_child (int sleeps)
{
  siginfo_t info;
  pid_t pid = fork ();
  if (pid == 0)
    {
      /* Close the output, so that no reader of the output waits for the
         child.  */
      for (int fd = 0; fd < 3; ++fd)
        close (fd);
      if (sleeps)
        sleep (5);
      _exit (0);
    }
  if (!sleeps)
    waitid (P_PID, pid, &info, WEXITED | WNOWAIT);
}

int
main (int argc, char **argv)
{
  static const int ignored[] = { SIGCHLD, SIGURG, SIGTTOU, SIGPIPE };
  sigset_t all;
  sigfillset (&all);
  for (argv++; argc > 2 && strcmp (*argv, "--") != 0; --argc, argv++)
    if (strcmp (*argv, "blocked") == 0)
      sigprocmask (SIG_BLOCK, &all, NULL);
    else if (strcmp (*argv, "ignored") == 0)
      for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; ++i)
        signal (ignored[i], SIG_IGN);
    else if (strcmp (*argv, "death") == 0)
      prctl (PR_SET_PDEATHSIG, SIGTERM);
    else if (strcmp (*argv, "leader") == 0)
      setsid ();
    else if (strcmp (*argv, "child") == 0)
      have_child (1);
    else if (strcmp (*argv, "zombie") == 0)
      have_child (0);
    else if (strcmp (*argv, "files") == 0)
      {
        limit (RLIMIT_NOFILE, atoi (*++argv));
        --argc;
      }
    else if (strcmp (*argv, "size") == 0)
      limit (RLIMIT_FSIZE, 1 << 20);
    else if (strcmp (*argv, "no-thp") == 0)
      prctl (PR_SET_THP_DISABLE, 1, 0, 0, 0);
  execv (argv[1], argv + 1);
  err (1, "%s", argv[1]);
}
