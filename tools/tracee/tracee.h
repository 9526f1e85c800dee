/* A tracee: a thread of another process that, under ptrace, executes system
   calls for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   TECHNICAL NOTE: hugetext may be killed at any moment, and the kernel then
   lets the thread continue with the registers that it has.  So the thread's
   registers must be right at any moment.  The registers are either the
   thread's own registers, or those of the trampoline, which restores the
   thread's own registers (trampoline.h).  A single PTRACE_SETREGSET changes
   all registers at once.  In the trampoline the thread has all signals
   blocked, and new signals stay pending.

   While the thread makes system calls for the command, it runs with the
   scheduling policy and priority of the command (hurry.h).  The watchdog
   (watch.h) kills hugetext if hugetext keeps the thread stopped for too long.
   A lease (lease.h) ensures that only one hugetext command at a time changes
   the memory of a process. ptrace alone does not prevent that two commands
   change the same memory, because each command could trace another thread of
   the process.  */

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

/* A process.  One of the process's threads makes system calls for the
   command.  */
struct tracee
{
  pid_t pid;
  pid_t tid;   /* The stopped thread, or 0 if no thread is stopped.  */
  long since;  /* The time at which the thread stopped (a time of
                  thread_now).  */
  pid_t late;  /* A thread that did not stop in time, or 0 if there is
                  none.  */
  bool gone;   /* True if the thread was killed, or ended, while it was
                  stopped.  */
  bool stuck;  /* True if a control group has frozen the thread.  When the
                  control group is thawed, the kernel lets the thread
                  continue.  */
  bool again;  /* True if a thread could not be stopped now, but perhaps can be
                  stopped soon.  */
  bool spared; /* True if the command left the thread running, because a stop
                  would harm the thread's system call.  */
  struct lease lease;
  const struct tracee_facts *facts; /* The facts about the process, which must
                                       still be the same, or NULL if they need
                                       not be checked.  */
  int memory;       /* The descriptor of the process's /proc/PID/mem, opened
                       after the thread has stopped.  */
  uintptr_t words;  /* The address of the bytes behind the vDSO that contain
                       the lease (lease.h) and the address of the record
                       (changes.h).  */
  uint64_t refused; /* The system calls that the thread's filters refuse
                       (filter_refuses).  */
  uintptr_t region; /* The address of the trampoline, or 0 if there is
                       none.  */
  struct tracee_registers saved; /* The registers of the thread.  */
  uint64_t mask;                 /* The thread's own signal mask.  */
  struct trampoline_call cleanup[TRAMPOLINE_CALLS];
  enum tracee_hurry hurried;
  int priority; /* The thread's own nice value, if the member HURRIED is
                   TRACEE_NICE.  */
  bool stale;   /* True if the trampoline still contains a cleanup call that
                   tracee_cleanup has removed from the member CLEANUP.  */
  bool at_exec; /* True if the process has just executed its program and is
                   stopped before the first instruction.  */
};

/* Open process PID, which had FACTS when it was inspected, without stopping a
   thread.  If the facts about the process have changed, or if its threads
   cannot or must not be stopped, set PROBLEM and return false.  */
extern bool tracee_open (struct tracee *tracee, pid_t pid,
                         const struct tracee_facts *facts,
                         struct problem *problem);

/* Return true if tracee_open would succeed, unless another command has the
   lease of the process or, for root, the process has no usable vDSO.  If
   tracee_open would fail, set PROBLEM to the reason. Change nothing in the
   process.  If the result is true, but a problem may be found after a thread
   has stopped, set PROBLEM to this possible problem, otherwise to "".  */
extern bool tracee_try (pid_t pid, const struct tracee_facts *facts,
                        struct problem *problem);

/* Initialize TRACEE for process PID, without the checks of tracee_open.  */
extern void tracee_begin (struct tracee *tracee, pid_t pid);

/* Close TRACEE.  If a thread of TRACEE is stopped, let it continue.  */
extern void tracee_close (struct tracee *tracee);

/* Stop one thread of the process, whichever stops within MILLISECONDS.  All
   other threads continue to run.  If no thread can be stopped, set PROBLEM
   and return false.  */
extern bool tracee_stop (struct tracee *tracee, unsigned int milliseconds,
                         struct problem *problem);

/* Begin to trace TRACEE's process, which has one thread, without stopping it
   (for "hugetext run").  If the process cannot be traced, set PROBLEM and
   return false.  */
extern bool tracee_seize (struct tracee *tracee, struct problem *problem);

/* Wait until TRACEE, which is about to execute a program, has executed it, and
   stop TRACEE before the program's first instruction.  If TRACEE does not stop
   before the first instruction, return false.  If TRACEE has not executed a
   program, set PROBLEM to "" before returning false.  */
extern bool tracee_stop_at_exec (struct tracee *tracee,
                                 struct problem *problem);

/* Make the stopped thread execute the system call NUMBER.  Return the result
   of the call, which is a negative error number on failure.  If the thread is
   gone, return -ESRCH.  */
extern long tracee_call (struct tracee *tracee, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Make the stopped thread execute the COUNT CALLS, each with three arguments,
   without a stop between two calls, and ignore their results.  After the last
   call, the thread sends itself SIGURG, so that ptrace stops it.  Call the
   function only before the first instruction of the program, because later the
   program may have a handler for SIGURG.  Return true if the thread has made
   the calls and is stopped again.  */
extern bool tracee_calls (struct tracee *tracee,
                          const struct trampoline_call calls[], size_t count);

/* Set the cleanup call of SLOT: the system call NUMBER with the arguments A
   and B, which the thread makes if hugetext is killed.  Slots are 0 to
   TRAMPOLINE_CALLS - 2, and are used in ascending order.  If NUMBER is -1,
   remove the cleanup call of SLOT.  A new cleanup call takes effect at once.
   A removed cleanup call stays in the trampoline until the thread enters the
   system call of the next tracee_call.  To make a cleanup call early, first
   remove the cleanup call, and then make the same system call by tracee_call:
   the thread makes the system call exactly once, no matter when hugetext is
   killed.  The function tracee_go removes all cleanup calls.  */
extern void tracee_cleanup (struct tracee *tracee, unsigned int slot,
                            long number, uintptr_t a, uintptr_t b);

/* Set the cleanup call of SLOT: the system call NUMBER, whose first argument
   will be the result of the next tracee_call, and whose second argument is B.
   With this function, the thread closes the descriptor that openat returns, or
   unmaps the memory that mmap returns, even if hugetext is killed directly
   after the call.  */
extern void tracee_cleanup_result (struct tracee *tracee, unsigned int slot,
                                   long number, uintptr_t b);

/* Let the thread wait in the trampoline until this process, a child of
   TRACEE's process, has ended, so that the program never sees this child.
   Call this function instead of tracee_go, and then exit.  */
extern void tracee_leave (struct tracee *tracee);

/* Let the thread continue as if it had not been stopped, and detach from it.
   Return false if the thread was already gone.  */
extern bool tracee_go (struct tracee *tracee);

#endif
