/* Helper processes, each of which puts the text of a static program on huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "run/helper.h"
#include "object/attachable.h"
#include "object/loader.h"
#include "util/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program that a helper process executes.  */
struct execution
{
  const char *const *argv;
  char *const *environment;
  int socket; /* A descriptor that the program inherits.  */
  int error;  /* The error number if the program could not be executed,
                 otherwise 0.  */
};

/* Execute, in the helper process, the helper's program.  */
static int
helper_execute_helper (void *closure)
{
  struct execution *execution = closure;
  fcntl (execution->socket, F_SETFD, 0);
  execve (execution->argv[0], (char **) execution->argv,
          execution->environment);
  execution->error = errno;
  _exit (1);
}

/* Start the helper as a child and exit, so that the helper becomes an orphan
   and not a child of the program.  */
static int
helper_start_helper (void *closure)
{
  static _Alignas(16) char stack[16384];
  struct execution *execution = closure;
  if (clone (helper_execute_helper, stack + sizeof stack,
             CLONE_VM | CLONE_VFORK, closure)
      < 0)
    execution->error = errno;
  _exit (0);
}

static bool
has_children (void)
{
  siginfo_t info;
  return (waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0
          || errno != ECHILD);
}

/* Start a helper process that carries out EXECUTION.  An intermediate process
   forks the helper and exits.  The exit of the intermediate process must not
   raise SIGCHLD, because a blocked SIGCHLD would stay pending for the program.
   If this process has no other children whose exit could be missed, let the
   kernel reap the intermediate process automatically, so that its resource
   usage does not become part of the program's RUSAGE_CHILDREN.  */
static void
make_helper (struct execution *execution)
{
  static _Alignas(16) char stack[16384];
  struct sigaction before;
  const bool alone = !has_children ();
  fflush (NULL);
  if (alone)
    sigaction (SIGCHLD, &(struct sigaction){ .sa_handler = SIG_IGN }, &before);
  const pid_t pid = clone (helper_start_helper, stack + sizeof stack,
                           CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS
                               | CLONE_SIGHAND | (alone ? SIGCHLD : 0),
                           execution);
  if (pid < 0)
    execution->error = errno;
  while (pid > 0 && waitpid (pid, NULL, __WALL) < 0 && errno == EINTR)
    continue;
  if (alone)
    sigaction (SIGCHLD, &before, NULL);
}

/* Read FD to its end into TEXT, a buffer of SIZE bytes.  Return false if the
   bytes do not end with a null byte.  */
static bool
helper_read_text (int fd, char *text, size_t size)
{
  size_t length = 0;
  ssize_t n;
  while (length < size && (n = read (fd, text + length, size - length)) != 0)
    if (n > 0)
      length += n;
    else if (errno != EINTR)
      return false;
  return length > 0 && text[length - 1] == '\0';
}

#define HELPER_ENDED "hugetext-attach has ended too early"

/* Let the helper at the other end of FD begin to trace this process.  */
static bool
be_seized (int fd, struct problem *problem)
{
  char text[sizeof (struct problem)];
  pid_t helper;
  ssize_t n;
  while ((n = read (fd, &helper, sizeof helper)) < 0 && errno == EINTR)
    continue;
  if (n != sizeof helper)
    return problem_set (problem, HELPER_ENDED);
  /* If the static program has no text that can be made huge, no helper is
     started.  */
  if (helper == 0)
    return true;
  /* If Yama is active, this process must permit the helper to trace this
     process.  Yama's permission ends when the helper ends.  If Yama is not
     active, prctl fails, but the helper needs no permission.  */
  prctl (PR_SET_PTRACER, helper, 0, 0, 0);
  if (send (fd, "", 1, MSG_NOSIGNAL) != 1
      || !helper_read_text (fd, text, sizeof text))
    strcpy (text, HELPER_ENDED);
  if (text[0] == '\0')
    return true;
  /* The parent of the helper has exited.  If this process is the subreaper of
     orphans, or process 1, the helper is now its child, and must be waited
     for.  */
  while (waitpid (helper, NULL, __WALL) < 0 && errno == EINTR)
    continue;
  return problem_set (problem, "%s", text);
}

/* Return a copy of the environment without the variable GLIBC_TUNABLES.  The
   caller frees the copy.  */
static char **
copy_environment (void)
{
  static const char tunables[] = "GLIBC_TUNABLES=";
  size_t count = 0, n = 0;
  while (environ != NULL && environ[count] != NULL)
    ++count;
  char **copy = allocate ((count + 1) * sizeof *copy);
  for (size_t i = 0; i < count; ++i)
    if (strncmp (environ[i], tunables, strlen (tunables)) != 0)
      copy[n++] = environ[i];
  copy[n] = NULL;
  return copy;
}

bool
helper_start (const char *file, const char *name, const char *caller,
              struct problem *problem)
{
  char number[16], pid[16];
  int pair[2];
  const char *tunables = getenv ("GLIBC_TUNABLES");
  const char *const argv[] = { loader_attach (),
                               "at-exec",
                               number,
                               pid,
                               caller,
                               name,
                               file,
                               tunables != NULL ? tunables : "",
                               NULL };
  struct execution execution = { .argv = argv };
  if (!attachable_at_start (problem))
    return false;
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return problem_system (problem, errno);
  execution.socket = pair[1];
  snprintf (number, sizeof number, "%d", pair[1]);
  snprintf (pid, sizeof pid, "%d", (int) getpid ());
  /* The helper gets the tunables of the program as an argument.  If the
     tunables were in the helper's environment, the loader would also copy the
     helper's own text to huge pages, and the program would have to wait until
     this is done.  */
  char **environment = copy_environment ();
  execution.environment = environment;
  make_helper (&execution);
  free (environment);
  close (pair[1]);
  const bool good = execution.error != 0
                        ? problem_system (problem, execution.error)
                        : be_seized (pair[0], problem);
  close (pair[0]);
  return good;
}
