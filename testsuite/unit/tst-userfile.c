/* Test the child that writes a file with the rights of a process's user.  It
   may be impossible to start the child, or the child may end without an
   answer.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Here the process is the test itself.  */

#include <unistd.h>

/* How the next child behaves.  */
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

/* Give the descriptors their numbers, and leave all others open.  */
bool
unprivileged_keep (int fds[], size_t count, int first, struct problem *problem)
{
  (void) problem;
  for (size_t i = 0; i < count; ++i)
    fds[i] = fcntl (fds[i], F_DUPFD_CLOEXEC, first + (int) count);
  for (size_t i = 0; i < count; ++i)
    if (fds[i] < 0 || dup3 (fds[i], first + (int) i, O_CLOEXEC) < 0)
      return false;
  return true;
}

/* Ask no child.  */
bool
reader_ask_opened (int fd, reader_work *work, const void *asked,
                   struct message *answer, struct problem *problem)
{
  const struct reader_file file = { .fd = fd };
  (void) problem;
  *answer = (struct message){ 0 };
  work (&file, asked, answer);
  return true;
}

/* Return the first free descriptor.  */
static int
free_descriptor (void)
{
  const int fd = dup (STDOUT_FILENO);
  close (fd);
  return fd;
}

/* Let a child append to FILE.  HOW says how this child behaves.  In every
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

/* The status of a process whose name looks like further lines.  The kernel
   writes a newline in a name as two characters.  */
static void
test_owner (void)
{
  static const char head[] = "Name:\tx\\nUid:\t0\t0\t0\t0\nUmask:\t0022\n";
  static const struct
  {
    const char *rest;
    bool good;
  } cases[] = {
    { "Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\nNStgid:\t90\t9\n", true },
    { "Uid:\t7\t0\t0\t0\nGid:\t8\t8\t8\t8\nNStgid:\t90\t9\n", false },
    { "Uid:\t7\t7\t7\t7\nGid:\t8\t8\t0\t8\nNStgid:\t90\t9\n", false },
    { "Uid:\t7\t7\t7\t7\nNStgid:\t90\t9\n", false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
      char status[256];
      struct owner owner;
      struct problem problem = { 0 };
      snprintf (status, sizeof status, "%s%s", head, cases[i].rest);
      const bool good = parse_owner (status, &owner, &problem);
      EXPECT (good == cases[i].good && good == !problem_is (&problem));
      EXPECT (!good
              || (owner.user == 7 && owner.group == 8 && owner.inside == 9));
    }
  group_done ("owner", sizeof cases / sizeof *cases);
}

int
main (void)
{
  test_owner ();
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
