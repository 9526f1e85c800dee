/* A tracee: a thread of another process, which makes system calls for the
   command by ptrace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: we may be killed at any moment.  The kernel then lets the
   thread go on with the registers that it has just then.  So these are at any
   moment such that it goes on rightly by itself:

     its own registers, before and after
     or at the trampoline, which gives it those back (trampoline.h).

   From one to the other it goes by PTRACE_SETREGSET, which does all or
   nothing.  Meanwhile the thread has all signals blocked; those that come
   wait.

   It has our priority meanwhile: on a busy machine each of our calls would
   wait for others as long as any, and who waits for the thread for all of
   them.

   And we are ended if we do not end a stop (watch.h).  One of us at a time
   works on a process's memory (lease.h); ptrace itself sees to it that no
   thread has two who trace it.  */

#ifndef TRACEE_H
#define TRACEE_H

#include "tracee/lease.h"
#include "tracee/refusal.h"
#include "tracee/trampoline.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process.  */
struct tracee
{
  pid_t pid;
  pid_t tid;  /* Its thread that is stopped, 0 if none is.  */
  long since; /* When it had stopped, as of thread_now.  */
  pid_t late; /* One that did not stop in time, 0: none.  */
  bool gone;  /* It was killed, or has ended, while it was ours, */
  bool stuck; /* or is frozen, and goes on by itself once it is not.  */
  bool again; /* A thread that could not be had may be had soon.  */
  struct lease lease;
  const struct tracee_facts *facts; /* Facts it had, NULL: not asked.  */
  int memory;       /* /proc/PID/mem, opened when it had stopped.  */
  uintptr_t region; /* Where the trampoline is, 0: nowhere.  */
  struct tracee_registers saved; /* The registers of the thread, */
  uint64_t mask;                 /* and its signal mask.  */
  struct trampoline_call cleanup[TRAMPOLINE_CALLS];
  bool hurried; /* It has our priority, not */
  int priority; /* its own.  */
  bool stale;   /* The trampoline has more of them.  */
  bool at_exec; /* It has just executed its program.  */
};

/* Get ready for process PID, which was FACTS when it was looked at: nothing is
   done to it if it is not any more.  Returns NULL, or why its threads cannot
   be had, or must not, in static memory: "it is traced already, by 17 (gdb)".
   Nothing is stopped yet.  */
extern const char *tracee_open (struct tracee *tracee, pid_t pid,
                                const struct tracee_facts *facts);

/* The same for a process of which that need not be asked.  */
extern void tracee_begin (struct tracee *tracee, pid_t pid);

/* Give back what tracee_open has taken, and let the thread go, if one is
   stopped.  */
extern void tracee_close (struct tracee *tracee);

/* Stop one thread, whichever can be had within MILLISECONDS.  Returns NULL or
   why there is none.  The others run on.  */
extern const char *tracee_stop (struct tracee *tracee,
                                unsigned int milliseconds);

/* For "run".  Seize the process of TRACEE, of one thread, which runs on.
   Returns NULL or why that cannot be.  */
extern const char *tracee_seize (struct tracee *tracee);

/* It is about to execute a program: wait until it has, and stop it before the
   program's first instruction.  Returns NULL or why not; "" if it has not
   come to that.  */
extern const char *tracee_stop_at_exec (struct tracee *tracee);

/* Have the stopped thread make the system call NUMBER.  Returns its result,
   -errno if it failed; -ESRCH as well if the thread is gone.  */
extern long tracee_call (struct tracee *tracee, long number, uintptr_t a,
                         uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
                         uintptr_t f);

/* Have the stopped thread make COUNT CALLS, one behind the other, in one go:
   each with a C, and what they return is not kept.  False if that cannot be:
   only for a process at its exec stop.  They end with a signal to itself at
   which we are told, and which all ignore who have just been executed.  */
extern bool tracee_calls (struct tracee *tracee,
                          const struct trampoline_call calls[], size_t count);

/* If we are killed from now on the thread makes system call NUMBER (A, B) by
   itself, as the call of SLOT, 0 to TRAMPOLINE_CALLS - 2, in ascending order;
   -1 for none: that is so from the moment on at which the next tracee_call
   makes its call, be it that call or another in its stead, so that it is made
   once whenever we are killed.  tracee_go forgets all.  */
extern void tracee_cleanup (struct tracee *tracee, unsigned int slot,
                            long number, uintptr_t a, uintptr_t b);

/* The same, with what the next tracee_call returns as the first argument: a
   descriptor to be closed, if it got one, or memory to be unmapped.  */
extern void tracee_cleanup_result (struct tracee *tracee, unsigned int slot,
                                   long number, uintptr_t b);

/* The same as tracee_go, but for the case that we are a child of the process:
   its thread goes on by itself once we have ended, which must be next, and it
   has waited for us, so that the program never sees us.  */
extern void tracee_leave (struct tracee *tracee);

/* Read or write SIZE bytes at ADDRESS of the process, which is stopped.  False
   if that is not so for all.  */
extern bool tracee_read (const struct tracee *tracee, uintptr_t address,
                         void *to, size_t size);
extern bool tracee_write (const struct tracee *tracee, uintptr_t address,
                          const void *from, size_t size);

/* Let the thread go on as if nothing had been, and detach from it.  False if
   it was gone before.  */
extern bool tracee_go (struct tracee *tracee);

#endif
