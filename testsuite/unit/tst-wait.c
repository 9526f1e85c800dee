/* Tests of waiting for a child: the time limit, and the CPU time of waiting if
   poll cannot wait.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/wait.c"
#include "plan-test.h"

#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

/* Start a child that ends after SECONDS, with status 7.  */
static pid_t
start_child (unsigned int seconds)
{
  const pid_t child = fork ();
  EXPECT (child >= 0);
  if (child == 0)
    {
      sleep (seconds);
      _exit (7);
    }
  return child;
}

/* Return the CPU time that this process has used, in milliseconds.  */
static int64_t
used_milliseconds (void)
{
  struct rusage usage;
  EXPECT (getrusage (RUSAGE_SELF, &usage) == 0);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000
         + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/* A child that ends in time has its own exit status; a child that does not end
   in time is killed.  */
static void
test_limit (void)
{
  int status;
  EXPECT (
      wait_status (start_child (0), clock_milliseconds () + 60000, &status));
  EXPECT (WIFEXITED (status) && WEXITSTATUS (status) == 7);
  EXPECT (wait_status (start_child (60), clock_milliseconds () + 10, &status));
  EXPECT (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
  EXPECT (wait_status (getpid (), 0, &status) && status == -1);
  group_done ("time limits", 3);
}

/* If this process may open no files, there is no pidfd, and poll fails: wait
   all the same, without using the CPU.  */
static void
test_no_files (void)
{
  struct rlimit old, none;
  int status;
  EXPECT (getrlimit (RLIMIT_NOFILE, &old) == 0);
  none = (struct rlimit){ 0, old.rlim_max };
  EXPECT (setrlimit (RLIMIT_NOFILE, &none) == 0);
  const pid_t child = start_child (2);
  const int64_t before = used_milliseconds ();
  EXPECT (wait_status (child, clock_milliseconds () + 60000, &status));
  const int64_t used = used_milliseconds () - before;
  EXPECT (setrlimit (RLIMIT_NOFILE, &old) == 0);
  EXPECT (WIFEXITED (status) && WEXITSTATUS (status) == 7);
  if (used >= 300)
    printf ("waiting without files used %d ms of CPU time\n", (int) used);
  EXPECT (used < 300);
  group_done ("waiting without files", 1);
}

/* If a child has ended, but its tracer has not yet waited for it, the pidfd is
   readable, although the parent cannot wait for the child yet.  */
static void
test_traced (void)
{
  int ready[2], status;
  char byte;
  EXPECT (pipe (ready) == 0);
  const pid_t child = start_child (1), tracer = fork ();
  if (tracer == 0)
    {
      /* If tracing is forbidden, nothing delays the parent's wait.  */
      ptrace (PTRACE_SEIZE, child, 0, 0);
      _exit (write (ready[1], "", 1) != 1 || sleep (3) != 0);
    }
  EXPECT (tracer > 0 && read (ready[0], &byte, 1) == 1);
  const int64_t before = used_milliseconds ();
  EXPECT (wait_status (child, clock_milliseconds () + 60000, &status));
  const int64_t used = used_milliseconds () - before;
  EXPECT (WIFEXITED (status) && WEXITSTATUS (status) == 7);
  EXPECT (waitpid (tracer, &status, 0) == tracer && status == 0);
  if (used >= 300)
    printf ("waiting beside a tracer used %d ms of CPU time\n", (int) used);
  EXPECT (used < 300);
  group_done ("waiting beside a tracer", 1);
}

int
main (void)
{
  test_limit ();
  test_no_files ();
  test_traced ();
  return 0;
}
