/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/worker.h"
#include "attach/children.h"
#include "host/process.h"
#include "host/stuck.h"
#include "tracee/blocked.h"
#include "tracee/hurry.h"
#include "tracee/tracee.h"
#include "tracee/thread.h"
#include "util/signals.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* The time in nanoseconds that remains for the cleanup in children if the
   worker has used all its own time.  When CLEAR_LIMIT is over, the command
   kills the process that cleans up; this process may take another WORKER_END
   nanoseconds to end.  */
#define CLEAR_LIMIT (WORKER_END_ALL - 2 * WORKER_END)

/* The longest time for which a thread is stopped, in milliseconds.  */
#define STOP_LIMIT 10

/* The result of a worker, in memory that the worker shares with the
   command.  */
struct answer
{
  bool given;
  struct convert_stops stops;
  struct problem room;
  struct result result;
  struct traces traces;
};

/* Change the process that ALL describes, or undo earlier changes if UNDO is
   true.  Return false if the change was impossible, or was not completed.  */
static bool
worker_change_process (struct conversion *all, bool undo,
                       struct problem *problem)
{
  struct tracee tracee;
  bool good = tracee_open (&tracee, all->pid, &all->facts, problem);
  if (good)
    good = undo ? convert_undo (all, &tracee, problem)
                : convert_do (all, &tracee, STOP_LIMIT, problem);
  tracee_close (&tracee);
  return good;
}

/* Change the process of ALL, and write the result to ANSWER, which is in
   memory shared with the parent.  */
static void
worker_write_answer (struct conversion *all, bool undo, struct answer *answer)
{
  answer->result.good
      = worker_change_process (all, undo, &answer->result.problem);
  answer->stops = all->stops;
  answer->room = all->room;
  answer->given = true;
}

/* Put the child in its own process group, so that signals of the terminal do
   not reach it; the child's work ends soon in any case.  Leave the child in
   the session of the command.  The kernel first divides the processors among
   the sessions (sched(7), autogroup), so that the priority of the child counts
   only against other processes of its session.  Make /dev/null the child's
   input and output, so that a reader of the command's output need not wait for
   a child that is blocked in the kernel.  */
pid_t
worker_begin (void)
{
  thread_block_child ();
  const pid_t parent = getpid (), child = fork ();
  if (child != 0)
    return child;
  setpgid (0, 0);
  if (!wait_end_with (parent, SIGKILL))
    _exit (1);
  const int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; ++fd)
    dup2 (null, fd);
  return 0;
}

/* Return true if CHILD is blocked in one system call that only a fatal signal
   can end.  Read the child's state twice, because a child that waits for a
   processor is not blocked.  */
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
      if (blocked_state (child) != 'D')
        return false;
      if (looks == 0)
        thread_rest (PAUSE);
    }
  return process_number (child, "voluntary_ctxt_switches:") == before;
}

enum worker_end
worker_wait (pid_t child, pid_t pid, long end)
{
  const struct stuck_facts facts = stuck_remember (pid);
  if (thread_wait (child, end) != 0)
    return WORKER_ENDED;
  const bool kept = is_kept (child);
  signals_send (child, SIGKILL);
  if (thread_wait (child, thread_now () + WORKER_END) != 0)
    return kept ? WORKER_WAITED : WORKER_KILLED;
  stuck_note (child, pid, &facts);
  return is_kept (child) ? WORKER_STUCK : WORKER_LEFT;
}

/* Children of the process may have inherited the mappings and the descriptor
   in TRACES.  Make these children unmap the mappings and close the descriptor.
   KILLED is true if the worker was killed.  A new child of the command does
   the cleanup after the worker has ended.  The cleanup stops threads, and a
   stopped process may block it; the command can kill a child that is
   blocked.  */
static void
worker_clear_children (const struct conversion *all,
                       const struct traces *traces, bool killed)
{
  /* On a busy machine each of many children takes a while, so the cleanup may
     also use the time that the worker did not need.  */
  const long end = all->end + WORKER_END + CLEAR_LIMIT;
  const pid_t child = traces->count > 0 ? worker_begin () : -1;
  if (child < 0)
    return;
  if (child == 0)
    {
      hurry_myself ();
      children_clear (all->pid, &all->facts, traces, killed);
      _exit (0);
    }
  worker_wait (child, all->pid, end);
}

bool
worker_do (struct conversion *all, bool undo, struct problem *problem)
{
  static struct answer *shared;
  if (shared == NULL)
    shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    {
      shared = NULL;
      return problem_system (problem, errno);
    }
  *shared = (struct answer){ .stops.count = 1, .traces.file = -1 };
  all->traces = &shared->traces;
  const pid_t child = worker_begin ();
  if (child < 0)
    return problem_system (problem, errno);
  if (child == 0)
    {
      worker_write_answer (all, undo, shared);
      _exit (0);
    }
  const enum worker_end ending = worker_wait (child, all->pid, all->end);
  all->stops = shared->stops;
  all->room = shared->room;
  if (ending != WORKER_STUCK && ending != WORKER_LEFT)
    worker_clear_children (all, &shared->traces, !shared->given);
  if (shared->given)
    return result_take (&shared->result, problem);
  if (ending == WORKER_STUCK)
    return problem_set (
        problem,
        "the kernel waits for memory, or for a file of the process (perhaps a "
        "filesystem does not answer); hugetext has given up, and stopped "
        "threads continue when the kernel no longer waits");
  if (ending == WORKER_WAITED)
    return problem_set (problem,
                        "the kernel waited too long for memory, or for a file "
                        "of the process (perhaps a filesystem does not "
                        "answer); hugetext has given up, and the process "
                        "continues");
  if (ending == WORKER_LEFT)
    return problem_set (
        problem,
        "changing the process took too long (is the machine overloaded?), so "
        "hugetext has killed its child process that was changing it; threads "
        "that are still stopped continue when this child process has ended");
  return problem_set (
      problem,
      ending == WORKER_ENDED
          ? "the process was stopped for too long (is the machine "
            "overloaded?); hugetext has given up, and the process continues"
          : "changing the process took too long; hugetext has given up, and "
            "the process continues");
}
