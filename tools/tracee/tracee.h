/* A tracee: a thread of another process, which makes system calls for the
   command by ptrace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: hugetext may be killed at any moment, and the kernel then
   lets the thread go on with its present registers.  So these registers are
   right at any moment: either the thread's own, before and after, or those of
   the trampoline, which restores the thread's own (trampoline.h).  One
   PTRACE_SETREGSET changes from one to the other, all or nothing.  Meanwhile
   the thread has all signals blocked; signals that come wait.

   Meanwhile the thread has our scheduling (hurry.h).  watch.h kills hugetext
   if it does not end a stop.  One hugetext at a time works on a process's
   memory (lease.h); ptrace itself makes sure that no thread has two tracers.
 */

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
  TRACEE_USUAL, /* Its own, or ours:  */
  TRACEE_NICE,  /* a nice value,  */
  TRACEE_REALTIME,
};

/* A process.  */
struct tracee
{
  pid_t pid;
  pid_t tid;  /* The thread that is stopped, 0 if none is.  */
  long since; /* The time of the stop, by thread_now.  */
  pid_t late; /* A thread that did not stop in time, 0 if there is none.  */
  bool gone;  /* The thread was killed, or has ended, while it was stopped,  */
  bool stuck; /* or is frozen, and goes on by itself when it is thawed.  */
  bool again; /* A thread that could not be stopped may be stopped soon.  */
  struct lease lease;
  const struct tracee_facts *facts; /* The facts that the process must still
                                       have, NULL if they do not matter.  */
  int memory;       /* /proc/PID/mem, opened after the stop.  */
  uintptr_t words;  /* Address of the words of lease.h and changes.h.  */
  uintptr_t region; /* Address of the trampoline, 0 if there is none.  */
  struct tracee_registers saved; /* The registers of the thread, */
  uint64_t mask;                 /* and its signal mask.  */
  struct trampoline_call cleanup[TRAMPOLINE_CALLS];
  enum tracee_hurry hurried;
  int priority; /* The thread's own nice value, with TRACEE_NICE.  */
  bool stale;   /* The trampoline has more cleanup calls than CLEANUP.  */
  bool at_exec; /* The process has just executed its program.  */
};

/* Open process PID, which had FACTS when it was looked at; a process that
   differs from them is left alone.  Return NULL, or why its threads cannot or
   must not be stopped, in static memory: "it is traced already, by 17 (gdb)".
   Nothing is stopped yet.  */
extern const char *tracee_open (struct tracee *tracee, pid_t pid,
                                const struct tracee_facts *facts);

/* Open process PID without these questions.  */
extern void tracee_begin (struct tracee *tracee, pid_t pid);

/* Close TRACEE, and let its thread go if one is stopped.  */
extern void tracee_close (struct tracee *tracee);

/* Stop one thread, any that stops within MILLISECONDS.  Return NULL or why
   none can be stopped.  The others run on.  */
extern const char *tracee_stop (struct tracee *tracee,
                                unsigned int milliseconds);

/* Seize TRACEE's process, which has one thread and runs on, for "hugetext
   run".  Return NULL or why that is not possible.  */
extern const char *tracee_seize (struct tracee *tracee);

/* Wait until TRACEE, which is about to execute a program, has done so, and
   stop it before the program's first instruction.  Return NULL or why not; ""
   if it has not executed a program.  */
extern const char *tracee_stop_at_exec (struct tracee *tracee);

/* Have the stopped thread make the system call NUMBER.  Returns its result,
   -errno if it failed; -ESRCH as well if the thread is gone.  */
extern long tracee_call (struct tracee *tracee, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Have the stopped thread make COUNT CALLS at once: each with a C, and without
   their results.  False if that is not possible: only for a process at its
   exec stop.  The calls end with a signal to the thread itself, which stops it
   and which a program that was just executed ignores.  */
extern bool tracee_calls (struct tracee *tracee,
                          const struct trampoline_call calls[], size_t count);

/* Have the thread make system call NUMBER (A, B) by itself if hugetext is
   killed, as the call of SLOT, 0 to TRAMPOLINE_CALLS - 2, in ascending order;
   -1 for none.  A cleanup call holds at once; its removal by -1 holds from the
   moment at which the next tracee_call makes its call, be it the same call or
   another, so that the thread makes the call once whenever hugetext is killed.
   tracee_go forgets all slots.  */
extern void tracee_cleanup (struct tracee *tracee, unsigned int slot,
                            long number, uintptr_t a, uintptr_t b);

/* Have the thread make a cleanup call with the result of the next tracee_call
   as the first argument: a descriptor to be closed, or memory to be
   unmapped.  */
extern void tracee_cleanup_result (struct tracee *tracee, unsigned int slot,
                                   long number, uintptr_t b);

/* Let the thread go if this process is a child of TRACEE's process: the thread
   goes on by itself once this process has ended, which must be its next step,
   and has been waited for, so that the program never sees it.  */
extern void tracee_leave (struct tracee *tracee);

/* Let the thread go on as if it had not been stopped, and detach from it.
   False if it was gone before.  */
extern bool tracee_go (struct tracee *tracee);

#endif
