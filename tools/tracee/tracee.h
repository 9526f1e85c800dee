/* A tracee: a thread of another process that makes system calls for the
   command, by ptrace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: hugetext may be killed at any moment, and the kernel then
   resumes the thread with its present registers.  So these registers must be
   right at any moment.  They are either the thread's own registers, or those
   of the trampoline, which restores the thread's own registers (trampoline.h).
   One PTRACE_SETREGSET changes from one set to the other atomically.  In the
   trampoline the thread has all signals blocked, and new signals stay pending.

   The thread also has the command's scheduling (hurry.h).  The watchdog
   (watch.h) kills hugetext if hugetext does not end a stop.  Only one hugetext
   at a time works on a process's memory (lease.h); ptrace itself ensures that
   no thread has two tracers.  */

#ifndef TRACEE_H
#define TRACEE_H

#include "util/problem.h"
#include "tracee/lease.h"
#include "tracee/refusal.h"
#include "tracee/trampoline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The scheduling of the stopped thread (hurry.h).  */
enum tracee_hurry
{
  TRACEE_USUAL, /* The thread's own scheduling.  */
  TRACEE_NICE,  /* A nice value.  */
  TRACEE_REALTIME,
};

/* A process of which one thread makes system calls for the command.  */
struct tracee
{
  pid_t pid;
  pid_t tid;  /* The stopped thread, 0 if none is stopped.  */
  long since; /* The time at which the thread stopped, from thread_now.  */
  pid_t late; /* A thread that did not stop in time, 0 if there is none.  */
  bool gone;  /* The thread was killed, or ended, while it was stopped.  */
  bool stuck; /* The thread is frozen, and continues without help when it is
                 thawed.  */
  bool again; /* A thread that could not be stopped may soon be stoppable.  */
  struct lease lease;
  const struct tracee_facts *facts; /* The facts that the process must still
                                       have; NULL to skip the check.  */
  int memory;      /* The process's /proc/PID/mem, opened after the stop.  */
  uintptr_t words; /* The address of the words that lease.h and changes.h
                      use.  */
  bool asks; /* The filter of the thread lets it ask for locks (msync).  */
  uintptr_t region; /* The address of the trampoline, 0 if there is none.  */
  struct tracee_registers saved; /* The registers of the thread.  */
  uint64_t mask;                 /* The thread's own signal mask.  */
  struct trampoline_call cleanup[TRAMPOLINE_CALLS];
  enum tracee_hurry hurried;
  int priority; /* The thread's own nice value, with TRACEE_NICE.  */
  bool stale;   /* The trampoline has cleanup calls that the member CLEANUP
                   does not have.  */
  bool at_exec; /* The process has just executed its program.  */
};

/* Open process PID, which had FACTS when it was inspected; refuse if it has
   other facts now.  Return false if the threads cannot or must not be
   stopped.  The function stops no thread.  */
extern bool tracee_open (struct tracee *tracee, pid_t pid,
                         const struct tracee_facts *facts,
                         struct problem *problem);

/* Open process PID without the checks of tracee_open.  */
extern void tracee_begin (struct tracee *tracee, pid_t pid);

/* Close TRACEE, and resume its thread if it is stopped.  */
extern void tracee_close (struct tracee *tracee);

/* Stop any one thread that stops within MILLISECONDS.  Return false if no
   thread can be stopped.  The other threads continue to run.  */
extern bool tracee_stop (struct tracee *tracee, unsigned int milliseconds,
                         struct problem *problem);

/* Seize TRACEE's process, which has one thread, for "hugetext run", without a
   stop.  Return false if that is not possible.  */
extern bool tracee_seize (struct tracee *tracee, struct problem *problem);

/* Wait until TRACEE, which is about to execute a program, has executed it,
   and stop it before the program's first instruction.  Return false if it is
   not stopped; without a problem if it has not executed a program.  */
extern bool tracee_stop_at_exec (struct tracee *tracee,
                                 struct problem *problem);

/* Make the stopped thread make the system call NUMBER.  Return the call's
   result; -errno if the call failed; -ESRCH also if the thread is gone.  */
extern long tracee_call (struct tracee *tracee, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Make the stopped thread make COUNT CALLS without a stop in between, each
   with an argument C, and discard the results.  Return false if that is
   impossible: the process must be at its exec stop.  After the last call, the
   thread stops itself by a signal that a program ignores if it was just
   executed.  */
extern bool tracee_calls (struct tracee *tracee,
                          const struct trampoline_call calls[], size_t count);

/* If hugetext is killed, make the thread make system call NUMBER (A, B), as
   the cleanup call of SLOT: 0 to TRAMPOLINE_CALLS - 2, in ascending order.
   NUMBER -1 removes the call.  A cleanup call takes effect at once; its
   removal takes effect when the next tracee_call makes its system call,
   whether that is the removed call or another; so the thread makes the removed
   call exactly once, whenever hugetext is killed.  tracee_go removes all
   cleanup calls.  */
extern void tracee_cleanup (struct tracee *tracee, unsigned int slot,
                            long number, uintptr_t a, uintptr_t b);

/* Make the thread make a cleanup call whose first argument is the result of
   the next tracee_call: a descriptor to close, or memory to unmap.  */
extern void tracee_cleanup_result (struct tracee *tracee, unsigned int slot,
                                   long number, uintptr_t b);

/* Release the thread if this process is a child of TRACEE's process.  This
   process must end as its next step.  The thread first waits for this process
   in its trampoline, and then continues, so that the program never sees this
   process.  */
extern void tracee_leave (struct tracee *tracee);

/* Resume the thread as if it had not been stopped, and detach from it.
   Return false if the thread was already gone.  */
extern bool tracee_go (struct tracee *tracee);

#endif
