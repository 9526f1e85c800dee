/* Run a program as a child, and inspect its text until it ends, with almost no
   effect on the program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This process inspects the program periodically while the program runs,
   because a program's memory cannot be inspected after the program has ended.
   The pauses between inspections are long compared with an inspection, so that
   inspections use little CPU time, and short compared with the program's run
   time, so that the last inspection takes place shortly before the program
   ends.  A program that runs for only a few hundredths of a second may end
   before its first inspection is complete.  ptrace could stop the program at
   its end so that it could be inspected, but hugetext does not use ptrace,
   because the loader puts less text on huge pages in a traced process.  */

#include "run/supervise.h"
#include "run/held.h"
#include "run/launch.h"
#include "host/process.h"
#include "host/where.h"
#include "text/inspect.h"
#include "util/clock.h"
#include "util/exit-status.h"
#include "util/signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

/* The last signal that usually ends a process and that has come while the
   program was running, or 0.  */
static volatile sig_atomic_t asked_to_end;

/* The signals that this process passes on to the program.  */
static const int forwarded[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGALRM, SIGTERM, SIGWINCH };

/* Pass SIGNAL on to the program, unless the program has got it directly, for
   example from the terminal.  If the program has already ended, SIGNAL acts on
   this process itself.  */
static void
forward (int signal, siginfo_t *info, void *context)
{
  (void) context;
  if (!signals_pass (child, info))
    signals_default (signal);
  else if (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT
           || signal == SIGTERM)
    asked_to_end = signal;
}

int
supervise_asked_to_end (void)
{
  return asked_to_end;
}

void
supervise_signals (pid_t pid)
{
  child = pid;
  /* A signal that was ignored stays ignored in this process and in the
     program.  */
  signals_pass_on (forwarded, sizeof forwarded / sizeof forwarded[0], forward);
}

/* A program that is inspected until it ends.  */
struct watched
{
  pid_t pid;
  supervise_see *see;
  void *closure; /* The argument of SEE.  */
  struct object_list *objects;
  struct problem *problem;
};

/* Inspect the process of WATCHED, and replace its objects by the result.  If
   the process is running but cannot be inspected, set the problem to the
   reason, and do not change the objects.  */
static void
supervise_inspect_process (const struct watched *watched)
{
  struct object_list *objects = watched->objects;
  static struct inspection found;
  if (!inspect (watched->pid, INSPECT_DIRECT, &found))
    {
      if (found.unread)
        *watched->problem = found.problem;
      return;
    }
  if (found.objects.count > 0 && !found.loading)
    {
      const struct object_list before = *objects;
      *objects = found.objects;
      found.objects = before;
      watched->see (watched->pid, objects, watched->closure);
    }
  inspect_free (&found);
}

/* Start the inspector before the program begins, by inspecting the child PID.
   If the inspector started later, a short program could end while the
   inspector starts.  Call where_own before the program begins, because
   where_own starts a child process, and a short program could end before that
   child answers.  */
static void
start_inspector (pid_t pid)
{
  static struct inspection found;
  where_own ();
  if (inspect (pid, INSPECT_DIRECT, &found))
    inspect_free (&found);
}

/* Wait until the process of WATCHED has ended, and return its wait status.  If
   NAMED is true (/proc knows the process by its ID), inspect it repeatedly
   while it runs.  */
static int
supervise_wait_for_end (const struct watched *watched, bool named)
{
  /* The pause between inspections, in seconds.  The pause is PART times the
     program's run time so far, but at least FIRST_STEP and at most MOST.  */
  const double first_step = 0.0002, most = 0.5, part = 0.03;
  /* Without a pidfd (before Linux 5.3), the end of the program does not
     interrupt poll, which then waits until the next inspection.  */
  struct pollfd event
      = { .fd = syscall (__NR_pidfd_open, watched->pid, 0), .events = POLLIN };
  const double start = clock_seconds ();
  int status;
  while (waitpid (watched->pid, &status, WNOHANG) == 0)
    {
      if (named)
        supervise_inspect_process (watched);
      double step = (clock_seconds () - start) * part;
      step = step < first_step ? first_step : step > most ? most : step;
      ppoll (&event, 1, &(struct timespec){ .tv_nsec = step * 1e9 }, NULL);
    }
  if (event.fd >= 0)
    close (event.fd);
  return status;
}

int
supervise (int (*start) (void *), supervise_see *see, void *closure,
           struct object_list *objects, struct problem *problem)
{
  pid_t pid;
  /* If /proc belongs to another PID namespace, the child's ID means a
     different process in /proc.  */
  const bool named = process_check_ids (problem);
  *objects = (struct object_list){ 0 };
  *problem = (struct problem){ .text = "" };
  const int fd = held_fork (&pid);
  if (fd < 0)
    {
      launch_say ("fork: %s", strerror (errno));
      exit (STATUS_RUN_ERROR);
    }
  if (pid == 0)
    _exit (held_wait (fd) ? start (closure) : STATUS_RUN_ERROR);
  supervise_signals (pid);
  if (named)
    start_inspector (pid);
  held_tell (fd);
  /* Wait until the child calls execve, which closes the child's end of the
     socket.  An inspection before execve would show this command's text
     instead of the program's.  */
  held_wait (fd);
  close (fd);
  const struct watched watched = { pid, see, closure, objects, problem };
  return supervise_wait_for_end (&watched, named);
}

void
end_like (int status)
{
  if (WIFEXITED (status))
    exit (WEXITSTATUS (status));
  /* Do not dump core in this process, because the program has already dumped
     core.  */
  setrlimit (RLIMIT_CORE, &(struct rlimit){ 0, 0 });
  fflush (NULL);
  signals_default (WTERMSIG (status));
  exit (128 + WTERMSIG (status));
}
