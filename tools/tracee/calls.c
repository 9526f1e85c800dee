/* Let a stopped thread of another process make system calls for hugetext, one
   call or several at a time.  If hugetext is killed, the thread itself makes
   the last of these calls.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/calls.h"
#include "tracee/hurry.h"
#include "tracee/thread.h"
#include "tracee/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* The message of PTRACE_GETEVENTMSG at the stop after a system call.  */
#define SYSCALL_EXIT 2

/* The message of PTRACE_GETEVENTMSG at the stop before a system call.  */
#define SYSCALL_ENTRY 1

bool
calls_stop_by_signal (const struct tracee *tracee)
{
  return tracee->at_exec && (tracee->mask & CALLS_STOP_BIT) == 0;
}

void
calls_forget (struct tracee *tracee)
{
  if (tracee->memory >= 0)
    close (tracee->memory);
  tracee->memory = -1;
  tracee->tid = 0;
  tracee->region = 0;
  tracee->stale = false;
  tracee->hurried = TRACEE_USUAL;
  tracee->at_exec = false;
  memset (tracee->cleanup, 0, sizeof tracee->cleanup);
}

/* Write the COUNT system calls CALLS into the trampoline.  */
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
  /* Most callers ignore a failure of write_calls, because it has an effect
     only if hugetext is killed afterwards: then some mappings or descriptors
     that hugetext has made stay in the process.  */
  return write_calls (tracee, tracee->cleanup, TRAMPOLINE_CALLS);
}

long
calls_lose (struct tracee *tracee, int status)
{
  enum
  {
    TRIES = 20, /* The maximum number of tries to set the registers, each
                   followed by a pause of one millisecond.  */
  };
  tracee->gone = true;
  tracee->stuck = status == 0;
  /* Restore the scheduling of the thread, because the process may have
     overwritten the trampoline, whose cleanup call would restore the
     scheduling.  */
  hurry_end (tracee);
  if (status == 0)
    {
      tracee->late = tracee->tid;
      watch_late ();
    }
  /* The thread is ending.  Reap it, because an execve in another thread of the
     process cannot continue until the tracer has reaped the ended thread.  */
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

/* If the stop of thread TID with STATUS is before or after a system call,
   return the message of PTRACE_GETEVENTMSG: SYSCALL_ENTRY or SYSCALL_EXIT.
   If the stop is of another kind, return 0.  */
static unsigned long
stop_of_call (pid_t tid, int status)
{
  unsigned long message;
  return (WSTOPSIG (status) == THREAD_SYSCALL_STOP && status >> 16 == 0
                  && ptrace (PTRACE_GETEVENTMSG, tid, NULL, &message) == 0
              ? message
              : 0);
}

/* Make the thread skip the requested call in the trampoline, as if the call
   had returned RESULT, and continue with the cleanup calls.  */
static bool
skip_call (struct tracee *tracee, long result)
{
  struct tracee_registers registers = tracee->saved;
  tracee_enter (&registers, tracee->region, -1, NULL);
  tracee_set_result (&registers, result);
  return thread_set_registers (tracee->tid, &registers);
}

/* Let the thread run until it has sent SIGURG to itself, and set REGISTERS.
   Return the thread's wait status, 0 if the signal does not arrive in time, or
   -1 if the thread is gone.  */
static int
run_to_signal (struct tracee *tracee, struct tracee_registers *registers)
{
  const long deadline = calls_patience ();
  int status = 0;
  do
    {
      if (!thread_request (PTRACE_CONT, tracee->tid,
                           thread_to_pass_on (status)))
        return -1;
      status = thread_wait (tracee->tid, deadline);
      if (status <= 0)
        return status;
      if (!thread_get_registers (tracee->tid, registers))
        return -1;
    }
  while (status >> 16 != 0 || WSTOPSIG (status) != CALLS_STOP
         || tracee_number (registers) != SYS_tgkill);
  return status;
}

/* Make the thread execute the system call NUMBER with the six arguments in
   ARGUMENT, unless NUMBER is -1, and then the COUNT CALLS, without a stop
   between two calls.  Set *RESULT to the result of call NUMBER.  Return false
   if the calls cannot be made.  */
static bool
call_at_once (struct tracee *tracee, long number, const uintptr_t argument[],
              const struct trampoline_call calls[], size_t count, long *result)
{
  struct trampoline_call all[TRAMPOLINE_MOST + 1 + TRAMPOLINE_CALLS];
  struct tracee_registers registers = tracee->saved;
  if (!calls_stop_by_signal (tracee) || count > TRAMPOLINE_MOST)
    return false;
  if (count > 0)
    memcpy (all, calls, count * sizeof calls[0]);
  all[count++] = (struct trampoline_call){ .used = true,
                                           .number = SYS_tgkill,
                                           .a = tracee->pid,
                                           .b = tracee->tid,
                                           .c = CALLS_STOP };
  memcpy (all + count, tracee->cleanup, sizeof tracee->cleanup);
  /* After both the calls and the registers have been written, the thread makes
     all calls of the trampoline, even if hugetext is killed.  */
  tracee_enter (&registers, tracee->region, number, argument);
  if (!thread_set_registers (tracee->tid, &registers)
      || !write_calls (tracee, all, count + TRAMPOLINE_CALLS))
    return false;
  int status = run_to_signal (tracee, &registers);
  *result = status > 0 ? tracee_kept_result (&registers) : -ESRCH;
  if (status <= 0 || !skip_call (tracee, *result))
    calls_lose (tracee, status == 0 ? 0 : -1);
  else
    calls_write_cleanup (tracee);
  return true;
}

long
tracee_call (struct tracee *tracee, long number, uintptr_t a, uintptr_t b,
             uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)
{
  const uintptr_t argument[] = { a, b, c, d, e, f };
  struct tracee_registers registers = tracee->saved;
  unsigned long stop = 0;
  int status = 0;
  long result;
  if (tracee->tid == 0)
    return -ESRCH;
  if (call_at_once (tracee, number, argument, NULL, 0, &result))
    return result;
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
      /* After this point the thread makes the requested system call even if
         hugetext is killed.  */
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
  long result;
  return (tracee->tid != 0
          && call_at_once (tracee, -1, NULL, calls, count, &result)
          && tracee->tid != 0);
}

/* Set the cleanup call of SLOT to CALL.  */
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
  /* Until the next tracee_call returns the first argument of the cleanup call,
     let the first argument be -1, not the result of an earlier system
     call.  */
  if (!skip_call (tracee, -1))
    {
      calls_lose (tracee, -1);
      return;
    }
  set_cleanup (tracee, slot,
               (struct trampoline_call){
                   .used = true, .result = true, .number = number, .b = b });
}
