/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/worker.h"
#include "attach/children.h"
#include "host/process.h"
#include "host/stuck.h"
#include "tracee/tracee.h"
#include "tracee/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The time for clearing children after a worker, in nanoseconds, without the
   end of who clears them.  */
#define CLEAR_LIMIT (WORKER_END_ALL - 2 * WORKER_END)

/* The longest stop of a thread, in milliseconds.  */
#define STOP_LIMIT 10

/* Memory that a worker and the command share.  */
struct answer
{
  bool given;
  struct convert_stops stops;
  char problem[400]; /* "" for none.  */
  struct traces traces;
};

/* Change the process of ALL.  Return NULL or why that is not possible, or not
   to its end.  */
static const char *
change (struct conversion *all, bool undo)
{
  struct tracee tracee;
  const char *problem = tracee_open (&tracee, all->pid, &all->facts);
  if (problem == NULL)
    problem = undo ? convert_undo (all, &tracee)
                   : convert_do (all, &tracee, STOP_LIMIT);
  tracee_close (&tracee);
  return problem;
}

/* Change the process of ALL, and write the ANSWER to memory shared with the
   parent.  */
static void
answer (struct conversion *all, bool undo, struct answer *answer)
{
  const char *problem = change (all, undo);
  answer->stops = all->stops;
  snprintf (answer->problem, sizeof answer->problem, "%s",
            problem != NULL ? problem : "");
  answer->given = true;
}

/* The child has a process group of its own, so that the terminal's signals do
   not reach it: its work ends soon.  The child has no session of its own,
   which would have its own share of the processors (sched(7), autogroup), and
   its priority would mean nothing to others.  It has nothing of the command's
   input and output, so that nobody waits for their end if the kernel keeps it.
 */
pid_t
worker_begin (void)
{
  sigset_t signals;
  /* The event that thread_wait waits for.  */
  sigemptyset (&signals);
  sigaddset (&signals, SIGCHLD);
  sigprocmask (SIG_BLOCK, &signals, NULL);
  signal (SIGCHLD, SIG_DFL);
  const pid_t parent = getpid (), child = fork ();
  if (child != 0)
    return child;
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid () != parent)
    _exit (1);
  const int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; ++fd)
    dup2 (null, fd);
  return 0;
}

/* Whether the kernel keeps CHILD waiting, in one call that no signal but one
   that kills can end, between two looks.  Who waits for a processor does
   not.  */
static bool
is_kept (pid_t child)
{
  enum
  {
    PAUSE = 20000000, /* Nanoseconds.  */
  };
  const long before = process_number (child, "voluntary_ctxt_switches:");
  for (int looks = 0; looks < 2; ++looks)
    {
      char text[1024];
      process_text (child, "status", text, sizeof text);
      if (strstr (text, "\nState:\tD") == NULL)
        return false;
      if (looks == 0)
        thread_rest (PAUSE);
    }
  return process_number (child, "voluntary_ctxt_switches:") == before;
}

enum worker_end
worker_wait (pid_t child, pid_t pid, long end)
{
  const uid_t owner = stuck_owner (pid);
  if (thread_wait (child, end) != 0)
    return WORKER_ENDED;
  const bool kept = is_kept (child);
  kill (child, SIGKILL);
  if (thread_wait (child, thread_now () + WORKER_END) != 0)
    return kept ? WORKER_WAITED : WORKER_KILLED;
  stuck_note (child, pid, owner);
  return is_kept (child) ? WORKER_STUCK : WORKER_LEFT;
}

/* Clear TRACES in children of the process of ALL.  Another child does that: it
   stops threads, too, and may be kept waiting by any process, after the work
   is done.  */
static void
clear (const struct conversion *all, const struct traces *traces)
{
  const long soon = thread_now () + CLEAR_LIMIT,
             last = all->end + WORKER_END + CLEAR_LIMIT,
             end = soon < last ? soon : last;
  const pid_t child = traces->count > 0 ? worker_begin () : -1;
  if (child < 0)
    return;
  if (child == 0)
    {
      children_clear (all->pid, &all->facts, traces);
      _exit (0);
    }
  worker_wait (child, all->pid, end);
}

const char *
worker_do (struct conversion *all, bool undo)
{
  static struct answer *shared;
  if (shared == NULL)
    shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    {
      shared = NULL;
      return strerror (errno);
    }
  *shared = (struct answer){ .stops.count = 1, .traces.file = -1 };
  all->traces = &shared->traces;
  const pid_t child = worker_begin ();
  if (child < 0)
    return strerror (errno);
  if (child == 0)
    {
      answer (all, undo, shared);
      _exit (0);
    }
  const enum worker_end ending = worker_wait (child, all->pid, all->end);
  all->stops = shared->stops;
  if (ending != WORKER_STUCK && ending != WORKER_LEFT)
    clear (all, &shared->traces);
  if (shared->given)
    return shared->problem[0] != '\0' ? shared->problem : NULL;
  if (ending == WORKER_STUCK)
    return "the kernel waits for memory or a file of the process (a file "
           "system that does not answer?): given up; stopped threads continue "
           "when the wait ends";
  if (ending == WORKER_WAITED)
    return "the kernel has waited for memory or a file of the process (a file "
           "system that does not answer?): given up, and the process goes on";
  if (ending == WORKER_LEFT)
    return "the process took too long (is the machine overloaded?): given up; "
           "stopped threads continue later";
  return ending == WORKER_ENDED
             ? "the process was stopped for too long (is the machine "
               "overloaded?): given up, and the process goes on"
             : "the process took too long: given up, and the process goes on";
}
