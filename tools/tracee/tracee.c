/* A tracee: a thread of another process that, under ptrace, executes system
   calls for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The command reads the thread's own registers at an event stop, and restores
   them at an event stop.  Only after an event stop does the kernel check
   whether to restart an interrupted system call.  Pending signals are also
   delivered only after an event stop.  */

#include "tracee/tracee.h"
#include "tracee/blocked.h"
#include "tracee/calls.h"
#include "tracee/hurry.h"
#include "tracee/watch.h"
#include "tracee/filter.h"
#include "host/process.h"
#include "tracee/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The maximum number of milliseconds to wait at the end for a thread that did
   not stop in time.  Stopping the thread will interrupt the thread's system
   call.  The kernel restarts the call only if the command prepares the
   restart.  */
#define LATE_LIMIT 100

/* The text of the problem if a thread did not stop in time.  */
#define NOT_IN_TIME "the threads of the process do not stop in time"

/* The text of the problem if each thread is in a call that must not be
   stopped.  */
#define ALL_ARE_SPARED                                                        \
  "all threads of the process are in system calls that must not be "          \
  "interrupted, such as write, send, or a call that another process handles " \
  "(seccomp's user notification)"

/* The time limit in milliseconds for all work on a program that has not
   executed an instruction yet.  */
#define AT_EXEC_LIMIT 30000

/* Open PATH for reading and writing with the rights of its owner.  (Changing
   the user also makes this process non-dumpable, as a process of root should
   be.)  */
static int
open_as_owner (const char *path)
{
  struct stat status;
  int signal = 0;
  const pid_t parent = getppid ();
  if (stat (path, &status) < 0)
    return -1;
  prctl (PR_GET_PDEATHSIG, &signal, 0, 0, 0);
  setfsuid (status.st_uid);
  int fd = open (path, O_RDWR | O_CLOEXEC), error = errno;
  setfsuid (geteuid ());
  /* setfsuid reports no error.  Without memory, the process keeps the rights
     of the owner, which are fewer than its own; then it must not go on.  */
  if ((uid_t) setfsuid (-1) != geteuid ())
    {
      if (fd >= 0)
        close (fd);
      fd = -1;
      error = ENOMEM;
    }
  /* The kernel has cleared the parent-death signal, because this process has
     changed its user.  */
  prctl (PR_SET_PDEATHSIG, signal, 0, 0, 0);
  if (signal != 0 && getppid () != parent)
    raise (signal);
  errno = error;
  return fd;
}

/* Open the memory of thread TID.  */
static int
open_memory (const struct tracee *tracee, pid_t tid)
{
  char path[96];
  /* Use the shorter path for a process's first thread, because the kernel
     resolves it faster.  */
  if (tid == tracee->pid)
    snprintf (path, sizeof path, "/proc/%d/mem", (int) tid);
  else
    snprintf (path, sizeof path, "/proc/%d/task/%d/mem", (int) tracee->pid,
              (int) tid);
  const int fd = open (path, O_RDWR | O_CLOEXEC);
  /* The kernel asks for two permissions: to write to the file, which the user
     of the process has, and to trace the process.  Root without
     CAP_DAC_OVERRIDE, as in hugetext-adapt@.service, has only the second.  */
  return (fd < 0 && errno == EACCES && geteuid () == 0 ? open_as_owner (path)
                                                       : fd);
}

static bool
check_facts (const struct tracee *tracee, struct problem *problem)
{
  return tracee->facts == NULL
         || tracee_check_facts (tracee->pid, tracee->facts, problem);
}

/* Raise the priority of the stopped thread to the command's scheduling
   priority.  If hugetext is killed, the thread restores its own priority.
   Do not change the priority if the thread has not executed an instruction of
   its program yet, or has a seccomp filter or a special scheduling policy.  */
static void
hurry (struct tracee *tracee)
{
  struct trampoline_call *call = &tracee->cleanup[TRAMPOLINE_CALLS - 1];
  if (tracee->at_exec || sched_getscheduler (tracee->tid) != SCHED_OTHER
      || process_is_filtered (tracee->tid))
    return;
  for (enum tracee_hurry how = TRACEE_REALTIME; how > TRACEE_USUAL; --how)
    if (hurry_prepare (tracee, how, call) && calls_write_cleanup (tracee)
        && hurry_begin (tracee, how))
      return;
  *call = (struct trampoline_call){ .used = false };
}

/* Make TRACEE's stopped thread continue in the trampoline.  SINCE is a time at
   which the thread had not yet begun the system call that the stop may have
   interrupted, or 0 if no such time is known (blocked_in).  */
static bool
tracee_enter_trampoline (struct tracee *tracee, long since,
                         struct problem *problem)
{
  release_prepare (tracee->tid, since);
  /* Open the memory only after the thread has stopped, because a stopped
     thread cannot replace its memory by execve.  */
  tracee->memory = open_memory (tracee, tracee->tid);
  if (tracee->memory < 0)
    return problem_set (
        problem,
        "the memory of the process cannot be written (/proc/PID/mem)");
  tracee->again = !check_facts (tracee, problem);
  if (tracee->again)
    return false;
  if (!thread_get_registers (tracee->tid, &tracee->saved)
      || !thread_get_mask (tracee->tid, &tracee->mask))
    return problem_set (problem, "the registers of the thread cannot be read");
  uintptr_t pc = tracee_pc (&tracee->saved);
  tracee->again = tracee_in_sequence (tracee->tid, tracee->memory, pc);
  if (tracee->again)
    return problem_set (problem,
                        "the thread is in a restartable sequence (rseq)");
  if (tracee_is_dispatched (tracee->tid))
    return problem_set (
        problem, "the thread handles its system calls itself (syscall user "
                 "dispatch; Wine?)");
  bool good = tracee_look (tracee->tid, tracee->memory, &tracee->saved,
                           tracee->at_exec, problem)
              && trampoline_find (tracee->pid, tracee->tid, tracee->memory, pc,
                                  &tracee->words, &tracee->region, problem);
  tracee->again = !good;
  /* If the program has not executed an instruction yet, the caller has already
     checked that the process's seccomp filters allow the calls.  */
  if (good && !tracee->at_exec)
    good = filter_check (tracee->pid, tracee->tid, tracee->region,
                         &tracee->refused, problem);
  if (!good)
    {
      tracee->region = 0;
      return good;
    }
  if (!tracee->at_exec && tracee->refused == 0)
    filter_suspend (tracee->tid);
  struct tracee_registers registers = tracee->saved;
  tracee_enter (&registers, tracee->region, -1, NULL);
  if (!calls_write_cleanup (tracee))
    {
      tracee->region = 0;
      return problem_set (problem,
                          "the vDSO of the process cannot be written");
    }
  /* Set the registers first and the signal mask second.  If hugetext is killed
     after it has set the registers, the thread continues in the trampoline,
     which restores the mask.  */
  if (!thread_set_registers (tracee->tid, &registers)
      || !thread_set_mask (tracee->tid, calls_stop_by_signal (tracee)
                                            ? ALL_SIGNALS & ~CALLS_STOP_BIT
                                            : ALL_SIGNALS))
    return problem_set (problem,
                        "the registers of the thread cannot be changed");
  hurry (tracee);
  return true;
}

void
tracee_begin (struct tracee *tracee, pid_t pid)
{
  *tracee = (struct tracee){ .pid = pid, .memory = -1, .lease.memory = -1 };
  thread_block_child ();
}

/* Find out everything about TRACEE that can be found out before a thread of
   the process is stopped.  If the process can be traced, open its memory and
   set *WORDS to the address of the lease on this memory (lease.h), and return
   the descriptor of the memory.  If the process cannot be traced, set PROBLEM
   and return -1.  */
static int
look_ahead (const struct tracee *tracee, uintptr_t *words,
            struct problem *problem)
{
  if (!tracee_check (tracee->pid, problem))
    return -1;
  const int memory = open_memory (tracee, tracee->pid);
  if (memory < 0)
    {
      tracee_not_permitted (tracee->pid, errno, problem);
      return -1;
    }
  if (check_facts (tracee, problem)
      && trampoline_check (tracee->pid, memory, problem))
    {
      *words = trampoline_words (tracee->pid, memory);
      if (*words != 0)
        return memory;
      problem_set (problem, TRAMPOLINE_NO_SPACE);
    }
  close (memory);
  return -1;
}

bool
tracee_open (struct tracee *tracee, pid_t pid,
             const struct tracee_facts *facts, struct problem *problem)
{
  uintptr_t words;
  tracee_begin (tracee, pid);
  tracee->facts = facts;
  const int memory = look_ahead (tracee, &words, problem);
  return memory >= 0 && lease_take (&tracee->lease, memory, words, problem);
}

bool
tracee_try (pid_t pid, const struct tracee_facts *facts,
            struct problem *problem)
{
  const struct tracee tracee = { .pid = pid, .facts = facts };
  if (geteuid () == 0)
    {
      /* The vDSO is in memory that users can write, so root does not parse it
         merely to give advice.  */
      if (!tracee_check (pid, problem) || !check_facts (&tracee, problem))
        return false;
    }
  else
    {
      uintptr_t words;
      const int memory = look_ahead (&tracee, &words, problem);
      if (memory < 0)
        return false;
      close (memory);
    }
  *problem = (struct problem){ 0 };
  if (process_is_filtered (pid))
    problem_set (problem, "the process has a seccomp filter that does not "
                          "allow hugetext's system calls");
  return true;
}

/* TRACEE->late is a thread that did not stop in time when the command asked it
   to stop.  If the late thread stops before DEADLINE, detach from the
   thread.  */
static void
let_late_one_go (struct tracee *tracee, long deadline)
{
  if (tracee->late == 0)
    return;
  int status = thread_wait (tracee->late, deadline);
  if (status > 0)
    release_thread (tracee->late, status);
  if (status != 0)
    tracee->late = 0;
}

void
tracee_close (struct tracee *tracee)
{
  if (tracee->tid != 0)
    tracee_go (tracee);
  calls_forget (tracee);
  let_late_one_go (tracee, thread_now () + LATE_LIMIT * 1000000L);
  lease_end (&tracee->lease);
}

/* Stop TRACEE's thread THREAD before DEADLINE, and make it continue in the
   trampoline.  Return false if the thread cannot be stopped.  If THREAD is in
   a system call that a stop would harm, leave THREAD running, and set
   TRACEE->spared instead of PROBLEM.  */
static bool
stop_thread (struct tracee *tracee, const struct blocked_thread *thread,
             long deadline, struct problem *problem)
{
  const pid_t tid = thread->tid;
  long since;
  tracee->again = tracee->spared = false;
  if (!tracee_check_dump (tracee->pid, problem)
      || !filter_check_mode (tid, problem))
    return false;
  bool good = true;
  if (!blocked_seize (tracee->pid, tid, PTRACE_O_TRACESYSGOOD, &since))
    {
      const int error = errno;
      /* The command was able to open the process's memory for writing, so the
         kernel also permits it to trace the process.  If the kernel refuses
         now, the cause is an execve, and a later attempt may succeed.  */
      const bool passes = error == EPERM && tracee->lease.memory >= 0;
      tracee->spared = error == EBUSY;
      tracee->again = (error == ETIMEDOUT || error == EBUSY || passes
                       || strchr ("XZ", blocked_state (tid)) != NULL);
      if (tracee->spared)
        return false;
      if (passes)
        good = check_facts (tracee, problem);
      return good
             && (error == ETIMEDOUT
                     ? problem_set (problem, "the process is executing another"
                                             " program")
                     : tracee_not_permitted (tracee->pid, error, problem));
    }
  tracee->tid = tid;
  int status = -1;
  /* After the command first inspected the thread, the thread may have begun a
     system call.  */
  if (since < thread->since)
    since = thread->since;
  if (thread_request (PTRACE_INTERRUPT, tid, 0))
    {
      status = thread_wait (tid, deadline);
      if (status > 0 && !thread_is_event (status, PTRACE_EVENT_STOP))
        status = thread_go_on (tid, status, deadline);
    }
  tracee->again = false;
  tracee->since = thread_now ();
  good = status == 0  ? problem_set (problem, NOT_IN_TIME)
         : status < 0 ? tracee_gone (tracee->pid, ESRCH, problem)
                      : tracee_enter_trampoline (tracee, since, problem);
  if (good)
    return true;
  tracee->again = tracee->again || status < 0;
  if (status > 0 && tracee->region == 0)
    thread_request (PTRACE_DETACH, tid, 0);
  if (status == 0)
    {
      tracee->late = tid;
      watch_late ();
    }
  calls_forget (tracee);
  return good;
}

/* No thread of the process can be stopped now.  Unless PROBLEM already
   contains another reason, set PROBLEM to this one, and return false.  If ALL
   is true, each thread is in a call that must not be stopped.  */
static bool
none_now (bool all, struct problem *problem)
{
  return problem_set (problem,
                      all ? ALL_ARE_SPARED
                          : "no thread of the process can be stopped now");
}

/* Stop any thread of TRACEE that can be stopped.  */
static bool
stop_any (struct tracee *tracee, long deadline, struct problem *problem)
{
  struct blocked_thread list[128];
  struct blocked_others others = { false, false };
  bool good = false, again = false, over = false, failed = false;
  int n = blocked_threads (tracee->pid, list, sizeof list / sizeof *list,
                           &others);
  if (n < 0)
    return tracee_gone (tracee->pid, errno, problem);
  for (enum blocked how = BLOCKED_AGAIN; how < BLOCKED_SHORT && !over; ++how)
    for (int k = 0; k < 2 * n && !over; ++k)
      {
        const struct blocked_thread *thread = &list[k % n];
        if (thread->how != how
            || blocked_is_addressed (tracee->pid, thread->tid) != (k >= n))
          continue;
        good = stop_thread (tracee, thread, deadline, problem);
        again |= tracee->again;
        if (tracee->spared)
          others.spared = true;
        else
          failed = true;
        over = good || tracee->late != 0 || thread_now () >= deadline;
      }
  /* A later attempt may succeed if the command left alone all threads of the
     list, because each was in a system call that must not be stopped, or if
     other threads have started since the list was made.  */
  tracee->again = again || !failed;
  return good
         || (!failed && none_now (others.spared && !others.waiting, problem));
}

/* The command no longer has the lease on the memory of the process (lease.h).
   Set PROBLEM to the reason: the process has executed another program, its
   user or capabilities have changed, or hugetext took too long.  */
static bool
tracee_end_use (struct tracee *tracee, struct problem *problem)
{
  tracee->again = false;
  return check_facts (tracee, problem)
         && problem_set (problem, "hugetext took too long while a thread was "
                                  "stopped (is the machine overloaded?)");
}

bool
tracee_stop (struct tracee *tracee, unsigned int milliseconds,
             struct problem *problem)
{
  const long deadline = thread_now () + milliseconds * 1000000L;
  bool good;
  let_late_one_go (tracee, deadline);
  /* Skip the thread LATE, which is still traced and cannot be traced
     again.  */
  if (tracee->late != 0)
    return problem_set (problem, NOT_IN_TIME);
  release_stopped ();
  do
    {
      /* Check again, because a thread may have installed a filter since the
         last try.  */
      blocked_prepare (tracee->pid);
      watch_begin (WATCH_LIMIT);
      if (lease_renew (&tracee->lease))
        good = stop_any (tracee, deadline, problem);
      else
        good = tracee_end_use (tracee, problem);
      if (good)
        return true;
      watch_end ();
      /* The process may be blocked in execve until this command has reaped a
         traced thread that has ended.  */
      release_stopped ();
      usleep (500);
    }
  while (tracee->again && tracee->late == 0 && thread_now () < deadline);
  return good;
}

bool
tracee_seize (struct tracee *tracee, struct problem *problem)
{
  if (thread_request (PTRACE_SEIZE, tracee->pid,
                      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC))
    return true;
  return tracee_not_permitted (tracee->pid, errno, problem);
}

/* Clear PROBLEM, and return false.  The process has not executed a program, so
   there is nothing to report to the user.  */
static bool
no_program (struct problem *problem)
{
  *problem = (struct problem){ 0 };
  return false;
}

bool
tracee_stop_at_exec (struct tracee *tracee, struct problem *problem)
{
  const pid_t pid = tracee->pid;
  int status = thread_wait (pid, 0);
  while (status > 0 && !thread_is_event (status, PTRACE_EVENT_EXEC))
    {
      /* The execve failed when the old program was already gone, so the kernel
         kills the thread with SIGSEGV.  SIGSEGV does not kill the first
         process of a container; while the first process is traced, it gets
         SIGSEGV again and again.  */
      if (thread_to_pass_on (status) == SIGSEGV)
        {
          thread_request (PTRACE_DETACH, pid, SIGSEGV);
          return no_program (problem);
        }
      /* If the whole thread group is stopped, the thread must stay
         stopped.  */
      bool group = (thread_is_event (status, PTRACE_EVENT_STOP)
                    && WSTOPSIG (status) != SIGTRAP);
      if (!(group ? thread_request (PTRACE_LISTEN, pid, 0)
                  : thread_request (PTRACE_CONT, pid,
                                    thread_to_pass_on (status))))
        return no_program (problem);
      status = thread_wait (pid, 0);
    }
  if (status <= 0)
    return no_program (problem);
  /* The thread has not returned from execve yet, and the result of execve will
     overwrite a register.  */
  do
    if (!thread_request (PTRACE_SYSCALL, pid, 0))
      return no_program (problem);
  while ((status = thread_wait (pid, 0)) > 0
         && WSTOPSIG (status) != THREAD_SYSCALL_STOP);
  if (status <= 0)
    return no_program (problem);
  tracee->tid = pid;
  tracee->at_exec = true;
  const bool good = watch_begin (AT_EXEC_LIMIT)
                        ? tracee_enter_trampoline (tracee, 0, problem)
                        : problem_set (problem, WATCH_PROBLEM);
  if (!good && tracee->region == 0)
    {
      thread_request (PTRACE_DETACH, pid, 0);
      watch_end ();
      calls_forget (tracee);
    }
  else if (!good)
    tracee_go (tracee);
  return good;
}

/* Remove all cleanup calls except the last one, which restores the thread's
   priority.  */
static void
clear_up (struct tracee *tracee)
{
  /* Never make a cleanup call twice, because the program may use the same
     addresses or descriptors after the first call.  */
  for (unsigned int i = 0; i + 1 < TRAMPOLINE_CALLS; ++i)
    tracee_cleanup (tracee, i, -1, 0, 0);
  if (tracee->tid != 0)
    calls_write_cleanup (tracee);
}

void
tracee_leave (struct tracee *tracee)
{
  clear_up (tracee);
  tracee_cleanup (tracee, 0, SYS_wait4, getpid (), 0);
}

bool
tracee_go (struct tracee *tracee)
{
  let_late_one_go (tracee, thread_now ());
  clear_up (tracee);
  const pid_t tid = tracee->tid;
  if (tid == 0)
    return false;
  /* Let the thread continue in the trampoline, and make it stop again before
     it executes an instruction of the trampoline.  After an execve, any kind
     of stop suffices, because there is no interrupted call to restart.  */
  int status = tracee->at_exec ? 1 : -1;
  if (!tracee->at_exec && thread_request (PTRACE_INTERRUPT, tid, 0))
    status = thread_go_on (tid, 0, calls_patience ());
  if (status > 0)
    hurry_end (tracee);
  if (status <= 0 || !thread_set_mask (tid, tracee->mask)
      || !thread_set_registers (tid, &tracee->saved))
    {
      calls_lose (tracee, status != 0 ? -1 : 0);
      return false;
    }
  trampoline_clear (tracee->memory, tracee->region);
  bool good = thread_request (PTRACE_DETACH, tid, 0);
  watch_end ();
  calls_forget (tracee);
  return good;
}
