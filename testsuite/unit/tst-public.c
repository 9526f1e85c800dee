/* Test the unprivileged process that opens files for root.  The tests
   distinguish files that cannot be opened from a process that gives no answer.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only commands of root use a process without rights for opening files.  */

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "image/public.c"
#include "plan-test.h"

/* In this test, only the process without rights looks up paths.  */
int
trusted_find (const char *path, enum trust trust, struct problem *problem)
{
  (void) trust, (void) problem;
  const int fd = open (path, O_PATH | O_CLOEXEC);
  return fd >= 0 ? fd : open ("/", O_PATH | O_CLOEXEC);
}

bool
image_is_of (int fd, const struct hugetext_identity *object)
{
  (void) fd, (void) object;
  return false;
}

/* Open PATH, and return true on success.  Set FAILURES to the number of
   failures for which the file is not the reason.  */
static bool
opens (const char *path, size_t *failures)
{
  struct problem problem = { 0 };
  const size_t before = unprivileged_failures ();
  const int fd = public_open (path, &problem);
  *failures = unprivileged_failures () - before;
  if (fd < 0)
    EXPECT (problem_is (&problem));
  else
    close (fd);
  return fd >= 0;
}

static void
test_files (void)
{
  size_t failures;
  EXPECT (opens ("/etc/passwd", &failures) && failures == 0);
  EXPECT (!opens ("/etc/none", &failures) && failures == 0);
  EXPECT (!opens ("/etc/passwd/none", &failures) && failures == 0);
  EXPECT (!opens ("/etc/shadow", &failures) && failures == 0);
  EXPECT (opens ("/etc/passwd", &failures) && failures == 0);
  group_done ("files", 5);
}

/* Test a process that is killed, and at once replaced by another one; and a
   process that has no free descriptors.  After the failure, another process is
   started.  */
static void
test_failures (void)
{
  struct rlimit limit, few;
  struct problem problem;
  size_t failures;
  EXPECT (kill (child.pid, SIGKILL) == 0);
  EXPECT (opens ("/etc/passwd", &failures) && failures == 0);
  image_public_kill_child ();
  /* No zombies may be left, because they count in the limit of tasks of a
     unit.  */
  EXPECT (waitpid (-1, NULL, WNOHANG) < 0 && errno == ECHILD);
  EXPECT (opens ("/etc/passwd", &failures) && failures == 0);
  EXPECT (problem_is_of_file (ENOENT) && problem_is_of_file (EACCES));
  EXPECT (!problem_is_of_file (EMFILE) && !problem_is_of_file (ENFILE)
          && !problem_is_of_file (ENOMEM) && !problem_is_of_file (EIO));
  EXPECT (!problem_system (&problem, ENOENT) && problem.code == PROBLEM_PLAIN);
  EXPECT (!problem_system (&problem, ENFILE)
          && problem.code == PROBLEM_MOMENTARY);
  EXPECT (!problem_system (&problem, EIO) && problem.code == PROBLEM_UNKNOWN);
  image_public_kill_child ();
  EXPECT (getrlimit (RLIMIT_NOFILE, &limit) == 0);
  few = limit;
  /* The next descriptor is the one for the file.  */
  few.rlim_cur = dup (STDOUT_FILENO) + 1;
  close (few.rlim_cur - 1);
  EXPECT (setrlimit (RLIMIT_NOFILE, &few) == 0);
  EXPECT (!opens ("/etc/passwd", &failures) && failures == 1);
  EXPECT (setrlimit (RLIMIT_NOFILE, &limit) == 0);
  EXPECT (opens ("/etc/passwd", &failures) && failures == 0);
  group_done ("no answer", 6);
}

/* If a user stops the process without rights each time it opens a file, root
   waits only for some of the files.  */
static void
test_patience (void)
{
  struct timespec before, after;
  size_t failures;
  EXPECT (opens ("/etc/passwd", &failures) && failures == 0);
  unprivileged_note_wait (20000);
  EXPECT (kill (child.pid, SIGSTOP) == 0);
  clock_gettime (CLOCK_MONOTONIC, &before);
  EXPECT (!opens ("/etc/passwd", &failures) && failures == 1);
  clock_gettime (CLOCK_MONOTONIC, &after);
  EXPECT (after.tv_sec - before.tv_sec < 9);
  group_done ("patience", 1);
}

int
main (void)
{
  if (geteuid () == 0)
    {
      test_files ();
      test_failures ();
      test_patience ();
    }
  return 0;
}
