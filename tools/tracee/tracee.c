/* A tracee: a thread of another process, which makes system calls for the
   command by ptrace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Registers are read at an event stop, and written back at one: only there the
   kernel checks whether an interrupted system call is to start again, and only
   then it delivers waiting signals.  */

#include "tracee/tracee.h"
#include "tracee/filter.h"
#include "tracee/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
  /* Milliseconds to wait at the end for threads that did not stop in time:
     their calls are interrupted, and begin again only if the command prepares
     that.  */
  LATE_LIMIT = 1000,
  /* Milliseconds after which no other attempt at a stop is made.  */
  STOP_LIMIT = 1000,
  /* Milliseconds for all work before a program begins.  */
  AT_EXEC_LIMIT = 30000,
  /* Messages of PTRACE_GETEVENTMSG at the stops before and after a system
     call.  */
  SYSCALL_ENTRY = 1,
  SYSCALL_EXIT = 2,
};

/* The kernel's mask of all signals.  */
#define ALL_SIGNALS UINT64_MAX

/* Open the memory of thread TID.  */
static int
open_memory (const struct tracee *tracee, pid_t tid)
{
  char path[96];
  snprintf (path, sizeof path, "/proc/%d/task/%d/mem", (int) tracee->pid,
            (int) tid);
  return open (path, O_RDWR | O_CLOEXEC);
}

static const char *
changed (const struct tracee *tracee)
{
  return (tracee->facts != NULL ? tracee_changed (tracee->pid, tracee->facts)
                                : NULL);
}

/* Forget the thread.  */
static void
forget (struct tracee *tracee)
{
  if (tracee->memory >= 0)
    close (tracee->memory);
  tracee->memory = -1;
  tracee->tid = 0;
  tracee->region = 0;
  tracee->stale = false;
  memset (tracee->cleanup, 0, sizeof tracee->cleanup);
  tracee_thaw (tracee);
  /* A thread that was given up, and stops now, waits for this process.  */
  if (blocked_release_strays ())
    watch_end ();
  else
    watch_begin (WATCH_LIMIT);
}

/* Note that the thread is gone, or if STATUS is 0, that it does not stop.
   Return -ESRCH.  */
static long
lose (struct tracee *tracee, int status)
{
  enum
  {
    TRIES = 20, /* Tries of a millisecond each.  */
  };
  tracee->gone = true;
  tracee->stuck = status == 0;
  /* The thread is ending, and execve waits until it was waited for.  */
  for (int i = 0; status < 0 && i < TRIES
                  && waitpid (tracee->tid, NULL, __WALL | WNOHANG) == 0;
       i++)
    usleep (1000);
  forget (tracee);
  return -ESRCH;
}

/* Return the time until which to wait for a thread's calls.  A control group
   may freeze the thread (cgroup.freeze) between any two calls, and a file may
   be on a disk that does not answer.  After that time the thread goes on as if
   hugetext had been killed.  */
static long
patience (void)
{
  return thread_now () + WATCH_LIMIT / 2 * 1000000L;
}

/* Write the present cleanup calls into the trampoline.  A failure means only
   that something is left over if hugetext is killed.  */
static bool
write_cleanup (struct tracee *tracee)
{
  tracee->stale = false;
  return trampoline_write (tracee->memory, tracee->region, tracee->tid,
                           &tracee->saved, tracee->mask, tracee->cleanup);
}

/* Have the thread skip the wanted call in the trampoline, and begin with those
   that follow.  */
static bool
skip_call (struct tracee *tracee)
{
  struct tracee_registers registers = tracee->saved;
  tracee_enter (&registers, tracee->region, -1, NULL);
  return thread_set_registers (tracee->tid, &registers);
}

/* Lead TRACEE's thread TID, which is stopped, to the trampoline.  AT_EXEC: it
   has just executed a program.  Return NULL, or why the thread is to be left
   alone; if TRACEE has a region then, tracee_go is to be called.  */
static const char *
enter (struct tracee *tracee, pid_t tid, bool at_exec)
{
  tracee->tid = tid;
  /* Open the memory of the stopped thread: it stays the same memory as long as
     the thread is stopped.  */
  tracee->memory = open_memory (tracee, tracee->tid);
  if (tracee->memory < 0)
    return "its memory cannot be written (/proc/PID/mem)";
  const char *problem = changed (tracee);
  tracee->again = true;
  if (problem != NULL)
    return problem;
  if (!thread_get_registers (tracee->tid, &tracee->saved)
      || !thread_get_mask (tracee->tid, &tracee->mask))
    return "its registers cannot be read";
  const uintptr_t pc = tracee_pc (&tracee->saved);
  if (tracee_in_sequence (tracee->tid, tracee->memory, pc))
    return "it is in a restartable sequence (rseq)";
  tracee->again = !tracee_is_dispatched (tracee->tid);
  if (!tracee->again)
    return "its system calls are dispatched to itself (Wine?)";
  uintptr_t region = 0;
  problem = tracee_look (tracee->tid, tracee->memory, &tracee->saved, at_exec);
  if (problem == NULL)
    problem = trampoline_find (tracee->pid, tracee->tid, tracee->memory, pc,
                               &region);
  tracee->again = problem != NULL;
  if (problem == NULL)
    problem = filter_refusal (tracee->pid, tracee->tid, region);
  if (problem != NULL)
    return problem;
  tracee->region = region;
  if (!write_cleanup (tracee))
    {
      tracee->region = 0;
      return "its vDSO cannot be written";
    }
  /* Set the registers first: the trampoline restores the mask.  */
  return skip_call (tracee) && thread_set_mask (tracee->tid, ALL_SIGNALS)
             ? NULL
             : "its registers cannot be changed";
}

static void
begin (struct tracee *tracee, pid_t pid)
{
  sigset_t child;
  *tracee = (struct tracee){ .pid = pid, .memory = -1 };
  /* The event that thread_wait waits for.  */
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  sigprocmask (SIG_BLOCK, &child, NULL);
  signal (SIGCHLD, SIG_DFL);
}

const char *
tracee_open (struct tracee *tracee, pid_t pid,
             const struct tracee_facts *facts)
{
  begin (tracee, pid);
  tracee->facts = facts;
  const char *problem = tracee_refusal (pid);
  if (problem != NULL)
    return problem;
  int memory = open_memory (tracee, pid);
  if (memory < 0)
    return tracee_not_permitted (pid, errno);
  close (memory);
  return changed (tracee);
}

void
tracee_close (struct tracee *tracee)
{
  if (tracee->tid != 0)
    tracee_go (tracee);
  forget (tracee);
  for (int i = 0; !blocked_release_strays () && i < LATE_LIMIT; ++i)
    usleep (1000);
  watch_end ();
}

/* Lead one of TRACEE's threads, which are all stopped, elsewhere.  Return NULL
   or why none can be.  */
static const char *
enter_any (struct tracee *tracee)
{
  const char *problem = freeze_busy;
  bool again = false;
  for (enum blocked how = BLOCKED_AGAIN; how < BLOCKED_SHORT; ++how)
    for (size_t i = 0; i < tracee->others.count; ++i)
      {
        const struct frozen *thread = &tracee->others.threads[i];
        if (thread->how != how || thread->state != FROZEN_STOPPED)
          continue;
        problem = enter (tracee, thread->tid, false);
        if (problem == NULL)
          return NULL;
        again |= tracee->again;
        if (tracee->memory >= 0)
          close (tracee->memory);
        tracee->memory = -1;
        tracee->tid = 0;
      }
  tracee->again = again;
  return problem;
}

const char *
tracee_stop (struct tracee *tracee, unsigned int milliseconds)
{
  const long deadline = thread_now () + STOP_LIMIT * 1000000L;
  const char *problem;
  do
    {
      /* A traced thread that has ended may be one for which execve waits.  */
      blocked_release_strays ();
      watch_begin (WATCH_LIMIT);
      tracee->since = thread_now ();
      problem = tracee_dumping (tracee->pid);
      if (problem == NULL)
        problem
            = freeze_threads (&tracee->others, tracee->pid, 0, milliseconds);
      /* A process that may be written to may also be traced, but not while it
         executes a program, or another hugetext is at work on it.  */
      tracee->again = !freeze_may_be_tried_again (problem);
      const char *other = problem != NULL ? changed (tracee) : NULL;
      if (other != NULL)
        problem = other;
      else if (problem == NULL)
        problem = enter_any (tracee);
      if (problem == NULL)
        return NULL;
      forget (tracee);
      usleep (500 + thread_now () / 1000 % 3000);
    }
  while (tracee->again && thread_now () < deadline);
  blocked_release_strays ();
  return problem;
}

void
tracee_thaw (struct tracee *tracee)
{
  freeze_thaw (&tracee->others, tracee->tid);
}

const char *
tracee_freeze (struct tracee *tracee, unsigned int milliseconds)
{
  return freeze_threads (&tracee->others, tracee->pid, tracee->tid,
                         milliseconds);
}

const char *
tracee_seize (struct tracee *tracee, pid_t pid)
{
  begin (tracee, pid);
  if (thread_request (PTRACE_SEIZE, pid,
                      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC))
    return NULL;
  return tracee_not_permitted (pid, errno);
}

const char *
tracee_stop_at_exec (struct tracee *tracee)
{
  const pid_t pid = tracee->pid;
  int status = thread_wait (pid, 0);
  while (status > 0 && !thread_is_event (status, PTRACE_EVENT_EXEC))
    {
      /* The execve failed too late.  The kernel kills the thread by a signal,
         which does not kill the first process of a container: it gets the
         signal again and again while it is traced.  */
      if (thread_to_pass_on (status) == SIGSEGV)
        {
          thread_request (PTRACE_DETACH, pid, SIGSEGV);
          return "";
        }
      /* A thread that is stopped with its whole group stays stopped.  */
      bool group = (thread_is_event (status, PTRACE_EVENT_STOP)
                    && WSTOPSIG (status) != SIGTRAP);
      if (!(group ? thread_request (PTRACE_LISTEN, pid, 0)
                  : thread_request (PTRACE_CONT, pid,
                                    thread_to_pass_on (status))))
        return "";
      status = thread_wait (pid, 0);
    }
  /* The call has still to return, and its result goes to a register.  */
  while (status > 0 && WSTOPSIG (status) != THREAD_SYSCALL_STOP)
    status
        = thread_request (PTRACE_SYSCALL, pid, 0) ? thread_wait (pid, 0) : -1;
  if (status <= 0)
    return "";
  watch_begin (AT_EXEC_LIMIT);
  const char *problem = enter (tracee, pid, true);
  if (problem == NULL)
    return NULL;
  if (tracee->region != 0)
    {
      tracee_go (tracee);
      return problem;
    }
  thread_request (PTRACE_DETACH, pid, 0);
  forget (tracee);
  return problem;
}

/* Return the stop of a system call at which TID is with STATUS, 0 if at
   none.  */
static unsigned long
stop_of_call (pid_t tid, int status)
{
  unsigned long message;
  return (WSTOPSIG (status) == THREAD_SYSCALL_STOP && status >> 16 == 0
                  && ptrace (PTRACE_GETEVENTMSG, tid, NULL, &message) == 0
              ? message
              : 0);
}

long
tracee_call (struct tracee *tracee, long number, uintptr_t a, uintptr_t b,
             uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)
{
  const uintptr_t argument[] = { a, b, c, d, e, f };
  struct tracee_registers registers = tracee->saved;
  unsigned long stop = 0;
  int status = 0;
  if (tracee->tid == 0)
    return -ESRCH;
  tracee_enter (&registers, tracee->region, number, argument);
  if (!thread_set_registers (tracee->tid, &registers))
    return lose (tracee, -1);
  const long deadline = patience ();
  while (stop != SYSCALL_EXIT)
    {
      if (!thread_request (PTRACE_SYSCALL, tracee->tid,
                           thread_to_pass_on (status)))
        return lose (tracee, -1);
      status = thread_wait (tracee->tid, deadline);
      if (status <= 0)
        return lose (tracee, status);
      stop = stop_of_call (tracee->tid, status);
      /* From here on the thread makes the call, even if hugetext is
         killed.  */
      if (stop == SYSCALL_ENTRY && tracee->stale)
        write_cleanup (tracee);
    }
  if (!thread_get_registers (tracee->tid, &registers))
    return lose (tracee, -1);
  return tracee_result (&registers);
}

/* Set cleanup SLOT to CALL.  */
static void
set_cleanup (struct tracee *tracee, unsigned int slot,
             struct trampoline_call call)
{
  if (tracee->tid == 0)
    return;
  tracee->cleanup[slot] = call;
  tracee->stale = true;
  if (call.used)
    write_cleanup (tracee);
}

void
tracee_cleanup (struct tracee *tracee, unsigned int slot, long number,
                uintptr_t a, uintptr_t b)
{
  set_cleanup (tracee, slot,
               (struct trampoline_call){
                   .used = number >= 0, .number = number, .a = a, .b = b });
}

void
tracee_cleanup_result (struct tracee *tracee, unsigned int slot, long number,
                       uintptr_t b)
{
  /* Do not take the result of an earlier call for this one's.  */
  if (tracee->tid != 0 && !skip_call (tracee))
    lose (tracee, -1);
  set_cleanup (tracee, slot,
               (struct trampoline_call){
                   .used = true, .result = true, .number = number, .b = b });
}

bool
tracee_read (const struct tracee *tracee, uintptr_t address, void *to,
             size_t size)
{
  return pread (tracee->memory, to, size, address) == (ssize_t) size;
}

bool
tracee_write (const struct tracee *tracee, uintptr_t address, const void *from,
              size_t size)
{
  return pwrite (tracee->memory, from, size, address) == (ssize_t) size;
}

/* Forget all cleanup calls, so that no call is made twice: the program may
   have got the same addresses or descriptors in between.  */
static void
clear_up (struct tracee *tracee)
{
  memset (tracee->cleanup, 0, sizeof tracee->cleanup);
  if (tracee->tid != 0)
    write_cleanup (tracee);
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
  const pid_t tid = tracee->tid;
  if (tid == 0)
    return false;
  tracee_thaw (tracee);
  clear_up (tracee);
  /* The thread leaves for the trampoline, and stops before it gets there.  */
  const long deadline = patience ();
  int status = thread_request (PTRACE_INTERRUPT, tid, 0) ? 0 : -1;
  while (status >= 0 && !thread_is_event (status, PTRACE_EVENT_STOP))
    {
      if (!thread_request (PTRACE_CONT, tid,
                           status > 0 ? thread_to_pass_on (status) : 0))
        status = -1;
      else if ((status = thread_wait (tid, deadline)) == 0)
        break;
    }
  if (status <= 0 || !thread_set_mask (tid, tracee->mask)
      || !thread_set_registers (tid, &tracee->saved))
    {
      lose (tracee, status != 0 ? -1 : 0);
      return false;
    }
  trampoline_clear (tracee->memory, tracee->region);
  bool good = thread_request (PTRACE_DETACH, tid, 0);
  forget (tracee);
  return good;
}
