/* A tracee: a thread of another process that makes system calls for the
   command, by ptrace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: hugetext may be killed at any moment, and the kernel then
   resumes the thread with its present registers.  So these registers must be
   right at any moment.  They are either the thread's own, before and after, or
   those of the trampoline, which restores the thread's own (trampoline.h).
   One PTRACE_SETREGSET changes from one to the other atomically.  Meanwhile
   the thread has all signals blocked, and signals that come wait.

   The thread also has the command's scheduling (hurry.h).  watch.h kills
   hugetext if it does not end a stop.  Only one hugetext at a time works on a
   process's memory (lease.h); ptrace itself ensures that no thread has two
   tracers.  */

#ifndef TRACEE_H
#define TRACEE_H

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
  TRACEE_NICE,  /* a nice value,  */
  TRACEE_REALTIME,
};

/* A process.  */
struct tracee
{
  pid_t pid;
  pid_t tid;  /* The stopped thread, 0 if none is stopped.  */
  long since; /* The time of the stop, from thread_now.  */
  pid_t late; /* A thread that did not stop in time, 0 if there is none.  */
  bool gone;  /* The thread was killed, or ended, while it was stopped.  */
  bool stuck; /* The thread is frozen, and continues without help when it is
                 thawed.  */
  bool again; /* A thread that could not be stopped may soon be stoppable.  */
  struct lease lease;
  const struct tracee_facts *facts; /* The facts that the process must still
                                       have, NULL for none.  */
  int memory;       /* /proc/PID/mem, opened after the stop.  */
  uintptr_t words;  /* The address of the words of lease.h and changes.h.  */
  uintptr_t region; /* The address of the trampoline, 0 if there is none.  */
  struct tracee_registers saved; /* The registers of the thread, */
  uint64_t mask;                 /* The thread's own signal mask.  */
  struct trampoline_call cleanup[TRAMPOLINE_CALLS];
  enum tracee_hurry hurried;
  int priority; /* The thread's own nice value, with TRACEE_NICE.  */
  bool stale;   /* The trampoline has cleanup calls that CLEANUP lacks.  */
  bool at_exec; /* The process has just executed its program.  */
};

/* Open process PID, which had FACTS when it was inspected; refuse if it has
   other facts now.  Return NULL, or why its threads cannot or must not be
   stopped, in static memory: "it is traced already, by 17 (gdb)".  Nothing is
   stopped yet.  */
extern const char *tracee_open (struct tracee *tracee, pid_t pid,
                                const struct tracee_facts *facts);

/* Open process PID without these checks.  */
extern void tracee_begin (struct tracee *tracee, pid_t pid);

/* Close TRACEE, and resume its thread if it is stopped.  */
extern void tracee_close (struct tracee *tracee);

/* Stop one thread, any that stops within MILLISECONDS.  Return NULL, or why
   none can be stopped.  The other threads run on.  */
extern const char *tracee_stop (struct tracee *tracee,
                                unsigned int milliseconds);

/* Seize TRACEE's process, which has one thread and runs on, for "hugetext
   run".  Return NULL or why that is not possible.  */
extern const char *tracee_seize (struct tracee *tracee);

/* Wait until TRACEE, which is about to execute a program, has done so, and
   stop it before the program's first instruction.  Return NULL or why not; ""
   if it has not executed a program.  */
extern const char *tracee_stop_at_exec (struct tracee *tracee);

/* Make the stopped thread make the system call NUMBER.  Return its result,
   -errno if it failed; -ESRCH also if the thread is gone.  */
extern long tracee_call (struct tracee *tracee, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Make the stopped thread make COUNT CALLS at once, each with an argument C,
   and discard their results.  False if that is impossible; it is possible only
   for a process at its exec stop.  The calls end with a signal to the thread
   itself, which stops it, and which a program that was just executed
   ignores.  */
extern bool tracee_calls (struct tracee *tracee,
                          const struct trampoline_call calls[], size_t count);

/* If hugetext is killed, make the thread make system call NUMBER (A, B), as
   the cleanup call of SLOT: 0 to TRAMPOLINE_CALLS - 2, in ascending order.
   NUMBER -1 removes the call.  A cleanup call takes effect at once; its
   removal takes effect when the next tracee_call makes its system call,
   whether it is the same call or another, so that the thread makes the call
   exactly once whenever hugetext is killed.  tracee_go removes all calls.  */
extern void tracee_cleanup (struct tracee *tracee, unsigned int slot,
                            long number, uintptr_t a, uintptr_t b);

/* Make the thread make a cleanup call whose first argument is the result of
   the next tracee_call: a descriptor to close, or memory to unmap.  */
extern void tracee_cleanup_result (struct tracee *tracee, unsigned int slot,
                                   long number, uintptr_t b);

/* Let the thread go if this process is a child of TRACEE's process.  The
   thread continues once this process has ended, which must be its next step,
   and has been waited for, so that the program never sees it.  */
extern void tracee_leave (struct tracee *tracee);

/* Resume the thread as if it had not been stopped, and detach from it.  False
   if it was gone before.  */
extern bool tracee_go (struct tracee *tracee);

#endif
