/* Supervision: a program runs as a child that hardly notices it, and its text
   is looked at until it ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program's memory is gone when it ends, so the supervisor looks at it all
   the time, seldom enough to cost little: the last look is never older than a
   small part of the program's life. ptrace could stop the program at its end,
   but the loader does less for a traced process.  */

#include "run/supervise.h"
#include "util/exit-status.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

/* Pass a signal on to the program.  The program gets the terminal's signals by
   itself.  */
static void
forward (int signal, siginfo_t *info, void *context)
{
  (void) context;
  if (info->si_code <= 0)
    {
      int error = errno;
      kill (child, signal);
      errno = error;
    }
}

void
supervise_signals (pid_t pid)
{
  static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGALRM, SIGTERM, SIGWINCH };
  child = pid;
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
    {
      struct sigaction old;
      /* An ignored signal stays ignored, in the program too.  */
      if (sigaction (signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction (signals[i],
                   &(struct sigaction){ .sa_sigaction = forward,
                                        .sa_flags = SA_RESTART | SA_SIGINFO },
                   NULL);
    }
}

/* Replace OBJECTS by the present objects of PID, if it can still be
   inspected.  */
static bool
look (pid_t pid, struct object_list *objects)
{
  struct object_list now;
  if (objtext_read (pid, true, &now) < 0)
    return false;
  if (now.count == 0 || objtext_is_loading (pid, &now))
    {
      objtext_free (&now);
      return false;
    }
  objtext_free (objects);
  *objects = now;
  return true;
}

static bool
same_objects (const struct object_list *a, const struct object_list *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; ++i)
    if (a->list[i].bias != b->list[i].bias
        || a->list[i].huge != b->list[i].huge)
      return false;
  return true;
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Wait SECONDS, or until PID has ended.  PIDFD is its descriptor or -1.  */
static void
wait_a_while (int pidfd, double seconds)
{
  struct timespec time = { .tv_sec = (time_t) seconds };
  time.tv_nsec = (seconds - time.tv_sec) * 1e9;
  /* Without such a descriptor (before Linux 5.3) the wait lasts until the next
     look.  */
  struct pollfd event = { .fd = pidfd, .events = POLLIN };
  ppoll (&event, 1, &time, NULL);
}

/* Look at PID until it has ended.  Return its wait status.  *EARLY: it ended
   before it had stopped loading, as far as can be told.  */
static int
watch (pid_t pid, struct object_list *objects, bool *early)
{
  /* Seconds.  A program whose objects do not change for a while has been
     loaded.  */
  const double loaded = 0.02, first_step = 0.0002, most = 0.5;
  /* The part of its life that may have passed since the last look.  */
  const double part = 0.03;

  int status;
  int pidfd = syscall (__NR_pidfd_open, pid, 0);
  double start = now (), changed = start;
  *early = true;
  while (waitpid (pid, &status, WNOHANG) == 0)
    {
      struct object_list before = *objects;
      *objects = (struct object_list){ 0 };
      if (!look (pid, objects))
        *objects = before;
      else
        {
          if (!same_objects (&before, objects))
            changed = now ();
          objtext_free (&before);
        }
      double time = now ();
      if (time - changed > loaded)
        *early = false;
      double step = (time - start) * part;
      wait_a_while (pidfd, step < first_step ? first_step
                           : step > most     ? most
                                             : step);
    }
  if (pidfd >= 0)
    close (pidfd);
  return status;
}

int
supervise (int (*start) (void *), void *closure, struct object_list *objects,
           bool *early)
{
  int ends[2];
  *objects = (struct object_list){ 0 };
  fflush (NULL);
  if (pipe2 (ends, O_CLOEXEC) < 0)
    err (STATUS_RUN_ERROR, "pipe");
  pid_t pid = fork ();
  if (pid < 0)
    err (STATUS_RUN_ERROR, "fork");
  if (pid == 0)
    _exit (start (closure));

  supervise_signals (pid);
  /* Wait for execve, which closes the pipe: until then the child is a copy of
     this process.  */
  close (ends[1]);
  char byte;
  while (read (ends[0], &byte, 1) < 0 && errno == EINTR)
    ;
  close (ends[0]);
  return watch (pid, objects, early);
}

void
end_like (int status)
{
  if (WIFEXITED (status))
    exit (WEXITSTATUS (status));
  /* The program leaves the only core.  */
  setrlimit (RLIMIT_CORE, &(struct rlimit){ 0, 0 });
  fflush (NULL);
  signal (WTERMSIG (status), SIG_DFL);
  raise (WTERMSIG (status));
  exit (128 + WTERMSIG (status));
}
