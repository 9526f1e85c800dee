/* Test the child that writes a file with the rights of a process's user.  It
   may be impossible to start the child, or the child may end without an
   answer.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Here the process is the test itself.  */

#include <unistd.h>

/* What becomes of the next child.  */
static enum {
  WORKS,
  IS_NONE, /* The child cannot be started.  */
  ENDS     /* The child ends as if it were killed at once.  */
} fork_how;

static pid_t fork_so (void);

#define fork fork_so
#include "host/userfile.c"
#undef fork

#include "plan-test.h"

static pid_t
fork_so (void)
{
  if (fork_how == IS_NONE)
    {
      errno = EAGAIN;
      return -1;
    }
  const pid_t pid = fork ();
  if (pid == 0 && fork_how == ENDS)
    _exit (0);
  return pid;
}

/* The child that was waited for, and that might therefore have been killed,
   or 0 if there was none.  */
static pid_t waited;

void
stuck_end (pid_t reader, pid_t pid, const struct stuck_facts *facts)
{
  (void) pid, (void) facts;
  waited = reader;
  EXPECT (waitpid (reader, NULL, 0) == reader);
}

struct stuck_facts
stuck_remember (pid_t pid)
{
  (void) pid;
  return (struct stuck_facts){ .owner = 0 };
}

/* This test does not change rights: tst-unprivileged and perf-map.exp test
   that.  With a sanitizer, the child would need more memory than it may
   have.  */
bool
unprivileged_become_user (uid_t user, gid_t group, struct problem *problem)
{
  (void) user, (void) group, (void) problem;
  return true;
}

void
unprivileged_limit (int resource, size_t most)
{
  (void) resource, (void) most;
}

void
unprivileged_close (int first)
{
  (void) first;
}

size_t
process_text (pid_t pid, const char *name, char *text, size_t size)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, name);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = read (fd, text, size - 1);
  close (fd);
  text[n > 0 ? n : 0] = '\0';
  return n > 0 ? n : 0;
}

/* Return the first free descriptor.  */
static int
free_descriptor (void)
{
  const int fd = dup (STDOUT_FILENO);
  close (fd);
  return fd;
}

/* Append to FILE with a child of which HOW says what becomes of it.  In every
   case, no descriptor is left open.  */
static bool
appends (struct userfile *file, int how)
{
  struct problem problem = { 0 };
  const int next = free_descriptor ();
  fork_how = how;
  waited = 0;
  const bool good = userfile_append (file, "1000 10 made\n", &problem);
  if (how == WORKS && !good)
    printf ("not so: %s\n", problem.text);
  EXPECT (good == !problem_is (&problem));
  EXPECT_EQUAL (free_descriptor (), next);
  return good;
}

int
main (void)
{
  struct userfile file = { .pid = getpid () };
  file.process = syscall (__NR_pidfd_open, file.pid, 0);
  if (file.process < 0)
    {
      printf ("not here: pidfd_open: %s\n", strerror (errno));
      return 77; /* The kernel is old, or a filter refuses the call.  */
    }
  EXPECT (!appends (&file, IS_NONE));
  EXPECT_EQUAL (waited, 0);
  EXPECT (!file.added && access (file.path, F_OK) != 0);
  EXPECT (!appends (&file, ENDS));
  EXPECT (waited > 0 && !file.added);
  group_done ("no child", 2);
  EXPECT (appends (&file, WORKS));
  EXPECT (waited > 0 && file.added && access (file.path, F_OK) == 0);
  EXPECT (appends (&file, WORKS) && !file.added);
  EXPECT (unlink (file.path) == 0);
  group_done ("a child", 2);
  return 0;
}
