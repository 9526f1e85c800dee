/* The system calls that a stopped thread makes for the command, one or several
   at a time, and the calls that it makes by itself if hugetext is killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/calls.h"
#include "tracee/thread.h"
#include "tracee/watch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* The message of PTRACE_GETEVENTMSG at the stop after a system call.  */
#define SYSCALL_EXIT 2

/* The message at the stop before a system call.  */
#define SYSCALL_ENTRY 1

void
calls_forget (struct tracee *tracee)
{
  if (tracee->memory >= 0)
    close (tracee->memory);
  tracee->memory = -1;
  tracee->tid = 0;
  tracee->region = 0;
  tracee->stale = tracee->hurried = false;
  tracee->at_exec = false;
  memset (tracee->cleanup, 0, sizeof tracee->cleanup);
}

/* Write COUNT CALLS into the trampoline.  */
static bool
write_calls (struct tracee *tracee, const struct trampoline_call calls[],
             size_t count)
{
  return trampoline_write (tracee->memory, tracee->region, tracee->tid,
                           &tracee->saved, tracee->mask, calls, count);
}

bool
calls_write_cleanup (struct tracee *tracee)
{
  tracee->stale = false;
  /* A failure means only that something is left over if hugetext is
     killed.  */
  return write_calls (tracee, tracee->cleanup, TRAMPOLINE_CALLS);
}

long
calls_lose (struct tracee *tracee, int status)
{
  enum
  {
    TRIES = 20, /* Tries of a millisecond each.  */
  };
  tracee->gone = true;
  tracee->stuck = status == 0;
  if (status == 0)
    {
      tracee->late = tracee->tid;
      watch_late ();
    }
  /* The thread is ending, and execve waits until it was waited for.  */
  for (int i = 0; status < 0 && i < TRIES
                  && waitpid (tracee->tid, NULL, __WALL | WNOHANG) == 0;
       i++)
    usleep (1000);
  calls_forget (tracee);
  watch_end ();
  return -ESRCH;
}

long
calls_patience (void)
{
  return thread_now () + WATCH_LIMIT / 2 * 1000000L;
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

/* Have the thread skip the wanted call in the trampoline, and begin with those
   that follow.  */
static bool
skip_call (struct tracee *tracee)
{
  struct tracee_registers registers = tracee->saved;
  tracee_enter (&registers, tracee->region, -1, NULL);
  return thread_set_registers (tracee->tid, &registers);
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
    return calls_lose (tracee, -1);
  const long deadline = calls_patience ();
  while (stop != SYSCALL_EXIT)
    {
      if (!thread_request (PTRACE_SYSCALL, tracee->tid,
                           thread_to_pass_on (status)))
        return calls_lose (tracee, -1);
      status = thread_wait (tracee->tid, deadline);
      if (status <= 0)
        return calls_lose (tracee, status);
      stop = stop_of_call (tracee->tid, status);
      /* From here on the thread makes the call, even if hugetext is
         killed.  */
      if (stop == SYSCALL_ENTRY && tracee->stale)
        calls_write_cleanup (tracee);
    }
  if (!thread_get_registers (tracee->tid, &registers))
    return calls_lose (tracee, -1);
  return tracee_result (&registers);
}

bool
tracee_calls (struct tracee *tracee, const struct trampoline_call calls[],
              size_t count)
{
  struct trampoline_call all[TRAMPOLINE_MOST + 1 + TRAMPOLINE_CALLS];
  const uint64_t stop = 1UL << (SIGURG - 1);
  int status = 0;
  if (tracee->tid == 0 || !tracee->at_exec || count > TRAMPOLINE_MOST
      || (tracee->mask & stop) != 0)
    return false;
  memcpy (all, calls, count * sizeof calls[0]);
  all[count++] = (struct trampoline_call){ .used = true,
                                           .number = SYS_tgkill,
                                           .a = tracee->pid,
                                           .b = tracee->tid,
                                           .c = SIGURG };
  memcpy (all + count, tracee->cleanup, sizeof tracee->cleanup);
  /* If hugetext is killed from here on, the thread makes the calls by
     itself.  */
  if (!skip_call (tracee)
      || !write_calls (tracee, all, count + TRAMPOLINE_CALLS)
      || !thread_set_mask (tracee->tid, ALL_SIGNALS & ~stop))
    return false;
  const long deadline = calls_patience ();
  do
    {
      bool runs = thread_request (PTRACE_CONT, tracee->tid,
                                  thread_to_pass_on (status));
      status = runs ? thread_wait (tracee->tid, deadline) : -1;
      if (status <= 0)
        {
          calls_lose (tracee, status);
          return false;
        }
    }
  while (status >> 16 != 0 || WSTOPSIG (status) != SIGURG);
  if (!thread_set_mask (tracee->tid, ALL_SIGNALS) || !skip_call (tracee))
    {
      calls_lose (tracee, -1);
      return false;
    }
  calls_write_cleanup (tracee);
  return true;
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
    calls_write_cleanup (tracee);
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
  if (tracee->tid == 0)
    return;
  /* Do not take the result of an earlier call for this one's.  */
  if (!skip_call (tracee))
    {
      calls_lose (tracee, -1);
      return;
    }
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
