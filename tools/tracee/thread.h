/* A thread that is traced: its registers, its stops, and the watchdog that
   ends them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_THREAD_H
#define TRACEE_THREAD_H

#include <tracee-arch.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>

/* The watchdog ends a stop of another process, whatever happens to hugetext: a
   stopped process waits for hugetext.  So during a stop a timer sends hugetext
   SIGCONT every 5 ms: ^Z or SIGSTOP stop it no longer than that.  A second
   timer sends SIGKILL at the end of all time: then the kernel releases the
   tracees, even if hugetext is in a system call that nothing else ends.

   Start the watchdog, which kills this process after MILLISECONDS.  */
extern void watch_begin (unsigned int milliseconds);

extern void watch_end (void);

/* The longest stop of a process that runs, in milliseconds.  A program that
   has not begun may be stopped longer (tracee.c).  */
#define WATCH_LIMIT 2000

/* The signal of a stop at a system call.  */
#define THREAD_SYSCALL_STOP (SIGTRAP | 0x80)

/* Return nanoseconds of the clock for deadlines.  */
extern long thread_now (void);

/* Make a request WHAT of ptrace for thread TID with a number.  */
extern bool thread_request (enum __ptrace_request what, pid_t tid,
                            unsigned long data);

/* Seize TID with OPTIONS.  False with errno set if that is not possible;
   ETIMEDOUT if it takes longer than some milliseconds, while the watchdog
   is on.  During an execve of TID's process the kernel delays the
   call until the process's other threads have ended and this process has
   waited for those that it traces.  */
extern bool thread_seize (pid_t tid, unsigned long options);

/* Read or write registers and signal mask of thread TID, which is stopped.  */
extern bool thread_get_registers (pid_t tid,
                                  struct tracee_registers *registers);
extern bool thread_set_registers (pid_t tid,
                                  const struct tracee_registers *registers);
extern bool thread_get_mask (pid_t tid, uint64_t *mask);
extern bool thread_set_mask (pid_t tid, uint64_t mask);

/* Wait for a stop of TID until DEADLINE, 0 for no limit, with SIGCHLD blocked.
   Return its status; 0 if none came, -1 if the thread has ended.  */
extern int thread_wait (pid_t tid, long deadline);

/* Whether STATUS is of a stop for EVENT.  */
extern bool thread_is_event (int status, int event);

/* Return the signal to pass on when the thread with this STATUS goes on.  */
extern int thread_to_pass_on (int status);

#endif
