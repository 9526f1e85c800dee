/* Run a program as a child that one hardly notices, and look at its text when
   it ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The program is looked at from outside: at its end through ptrace, which
   stops it while its memory is still there.  It is not traced while it
   starts, nor when it becomes another program, because the loader leaves a
   traced program's text where it is.  */

#include "supervise.h"
#include "command.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

/* Hand a signal on to the program.  What the terminal sends it gets as
   well.  */
static void
forward (int signal, siginfo_t *info, void *context)
{
  (void)context;
  if (info->si_code <= 0)
    {
      int error = errno;
      kill (child, signal);
      errno = error;
    }
}

static void
forward_signals (void)
{
  static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGALRM, SIGTERM, SIGWINCH };
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    {
      struct sigaction old;
      /* What is ignored stays ignored, in the program too.  */
      if (sigaction (signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction (signals[i],
                   &(struct sigaction){ .sa_sigaction = forward,
                                        .sa_flags = SA_RESTART | SA_SIGINFO },
                   NULL);
    }
}

/* Replace OBJECTS by what PID has now, if it can still be looked at.  */
static bool
look (pid_t pid, struct object_list *objects)
{
  struct object_list now;
  if (objtext_read (pid, OBJTEXT_DIRECT, &now) < 0)
    return false;
  if (now.count == 0)
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
  for (size_t i = 0; i < a->count; i++)
    if (a->list[i].bias != b->list[i].bias
        || a->list[i].huge != b->list[i].huge)
      return false;
  return true;
}

static void
sleep_ms (int ms)
{
  nanosleep (&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

/* Look at PID until its objects have not changed for SETTLED_MS, which is
   taken to mean that the loader is done, but not longer than LIMIT_MS.  Return
   true if it has ended by then, with *STATUS.  */
static bool
wait_until_loaded (pid_t pid, struct object_list *objects, int *status)
{
  enum
  {
    STEP_MS = 1,
    SETTLED_MS = 20,
    LIMIT_MS = 1000,
  };
  int same = 0;
  for (int ms = 0; ms < LIMIT_MS && same < SETTLED_MS; ms += STEP_MS)
    {
      struct object_list before = *objects;
      *objects = (struct object_list){ 0 };
      if (!look (pid, objects))
        *objects = before;
      else
        {
          same = same_objects (&before, objects) ? same + STEP_MS : 0;
          objtext_free (&before);
        }
      if (waitpid (pid, status, WNOHANG) == pid)
        return true;
      sleep_ms (STEP_MS);
    }
  return false;
}

/* Follow PID, which is traced, to its end, and look at it just before.
   Return false if it becomes another program: then it is traced no more.  */
static bool
wait_traced (pid_t pid, struct object_list *objects, int *status)
{
  while (waitpid (pid, status, __WALL) == pid)
    {
      if (!WIFSTOPPED (*status))
        return true;
      int event = *status >> 16;
      int signal = WSTOPSIG (*status);
      if (event == PTRACE_EVENT_EXEC)
        {
          ptrace (PTRACE_DETACH, pid, NULL, NULL);
          return false;
        }
      if (event == PTRACE_EVENT_EXIT)
        {
          look (pid, objects);
          ptrace (PTRACE_CONT, pid, NULL, NULL);
        }
      else if (event == PTRACE_EVENT_STOP
               && (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN
                   || signal == SIGTTOU))
        /* Stay stopped, as without us.  */
        ptrace (PTRACE_LISTEN, pid, NULL, NULL);
      else
        ptrace (PTRACE_CONT, pid, NULL, (long)(event == 0 ? signal : 0));
    }
  err (STATUS_RUN_ERROR, "waitpid");
}

/* Follow PID without ptrace.  */
static void
wait_untraced (pid_t pid, struct object_list *objects, int *status)
{
  enum
  {
    STEP_MS = 50,
  };
  while (waitpid (pid, status, WNOHANG) == 0)
    {
      look (pid, objects);
      sleep_ms (STEP_MS);
    }
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

  child = pid;
  forward_signals ();
  /* Until the program is executed the child is but a copy of us.  Executing
     it closes the pipe.  */
  close (ends[1]);
  char byte;
  while (read (ends[0], &byte, 1) < 0 && errno == EINTR)
    ;
  close (ends[0]);
  int status;
  *early = true;
  while (!wait_until_loaded (pid, objects, &status))
    {
      *early = false;
      if (ptrace (PTRACE_SEIZE, pid, NULL,
                  (long)(PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC))
          != 0)
        {
          wait_untraced (pid, objects, &status);
          break;
        }
      if (wait_traced (pid, objects, &status))
        break;
      *early = true;
    }
  return status;
}

void
end_like (int status)
{
  if (WIFEXITED (status))
    exit (WEXITSTATUS (status));
  /* One core is enough.  */
  setrlimit (RLIMIT_CORE, &(struct rlimit){ 0, 0 });
  fflush (NULL);
  signal (WTERMSIG (status), SIG_DFL);
  raise (WTERMSIG (status));
  exit (128 + WTERMSIG (status));
}
