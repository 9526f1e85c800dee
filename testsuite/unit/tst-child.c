/* Tests of the exit statuses of programs that the command runs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/child.c"
#include "plan-test.h"

#include <signal.h>

/* Run the program NAME, and return its exit status.  */
static int
run_program (const char *name)
{
  char *output;
  const int status
      = child_run ((const char *const[]){ name, NULL }, 60, &output);
  EXPECT ((output == NULL) == (status < 0));
  free (output);
  return status;
}

/* A program that takes too long is killed, even if it has closed its output,
   or if a child has its output open.  */
static void
test_late (void)
{
  static const char *const scripts[] = {
    "exec sleep 60",
    "exec >&- 2>&-; exec sleep 60",
    "sleep 5 & exec sleep 60",
    "sleep 5 & exit 0",
  };
  const size_t count = sizeof scripts / sizeof scripts[0];
  for (size_t i = 0; i < count; ++i)
    {
      char *output;
      const int64_t begin = clock_milliseconds ();
      const int status = child_run (
          (const char *const[]){ "sh", "-c", scripts[i], NULL }, 1, &output);
      const int error = errno;
      /* The last program ends, but its child does not.  */
      const bool ended = i == count - 1;
      EXPECT_EQUAL (status, ended ? 0 : -1);
      EXPECT (ended || (error == ETIME && output == NULL));
      EXPECT (clock_milliseconds () - begin < 30000);
      EXPECT_EQUAL (child_limit (), 1);
      free (output);
    }
  group_done ("time limits", count);
}

/* Let a shell run SCRIPT for at most a second, with the name of a file as $0.
   Return true if this file exists afterwards.  */
static bool
leaves_file (const char *script, const volatile sig_atomic_t *stop, int error)
{
  char file[] = "/tmp/tst-child-XXXXXX", *output;
  const int fd = mkstemp (file);
  EXPECT (fd >= 0 && unlink (file) == 0);
  close (fd);
  const int status = child_run_apart (
      (const char *const[]){ "sh", "-c", script, file, NULL }, 1, stop,
      &output);
  EXPECT (status == -1 && errno == error && output == NULL);
  /* If a process of the script is still running, the process creates the file
     within these 3 seconds.  */
  sleep (3);
  return unlink (file) == 0;
}

/* If a program in its own process group takes too long, child.c ends all
   processes of the group.  The processes may first undo their changes.  */
static void
test_group (void)
{
  static const volatile sig_atomic_t stopped = SIGINT;
  EXPECT (!leaves_file ("(sleep 2; : >$0) & wait", NULL, ETIME));
  EXPECT (
      !leaves_file ("exec >&- 2>&-; (sleep 2; : >$0) & wait", NULL, ETIME));
  /* The first process has ended, but its child keeps the output open.  */
  EXPECT (!leaves_file ("(sleep 2; : >$0) & exit 0", NULL, ETIME));
  EXPECT (leaves_file ("(trap ': >$0; exit' TERM; while :; do sleep 0.1; done)"
                       " & wait",
                       NULL, ETIME));
  EXPECT (!leaves_file ("(sleep 2; : >$0) & wait", &stopped, EINTR));
  group_done ("groups of processes", 5);
}

/* Output that is always ready to be read does not keep the command beyond the
   limit.  */
static void
test_endless (void)
{
  const int fd = open ("/dev/zero", O_RDONLY | O_CLOEXEC);
  EXPECT (fd >= 0);
  alarm (60);
  bool whole;
  char *text = child_read_all (fd, clock_milliseconds () + 100, NULL, &whole);
  alarm (0);
  EXPECT (text != NULL && !whole);
  free (text);
  close (fd);
  group_done ("endless output", 1);
}

/* A program that answers a question about advice gets no more time than is
   left for advice, and the caller can find out how much time it got.  */
static void
test_advice (void)
{
  EXPECT (patience_begin ());
  EXPECT (run_program ("true") == 0);
  EXPECT (child_limit () < 6);
  patience_end ();
  EXPECT (run_program ("true") == 0);
  EXPECT_EQUAL (child_limit (), 60);
  group_done ("limits of advice", 4);
}

int
main (void)
{
  test_late ();
  test_group ();
  test_endless ();
  test_advice ();
  EXPECT (run_program ("true") == 0);
  EXPECT (run_program ("false") == 1);
  EXPECT (run_program ("/nowhere/none") == 127);
  /* If SIGCHLD is ignored, the kernel does not keep the exit status.  */
  EXPECT (signal (SIGCHLD, SIG_IGN) != SIG_ERR);
  EXPECT (run_program ("false") == -1 && errno == ECHILD);
  group_done ("exit statuses", 4);
  return 0;
}
