/* A traced thread: its registers and its stops.
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

/* The signal of a stop at a system call.  */
#define THREAD_SYSCALL_STOP (SIGTRAP | 0x80)

/* Return the time in nanoseconds, from the clock used for deadlines.  */
extern long thread_now (void);

/* Wait for NANOSECONDS, even if signals arrive.  */
extern void thread_rest (long nanoseconds);

/* Make the ptrace request WHAT with the number DATA for thread TID.  */
extern bool thread_request (enum __ptrace_request what, pid_t tid,
                            unsigned long data);

/* Begin to trace thread TID (PTRACE_SEIZE) with OPTIONS.  On failure set
   errno and return false.  The error is ETIMEDOUT if the request takes longer
   than a few milliseconds: during an execve of TID's process, the kernel
   delays the request until the other threads of that process have ended.
   (During such an execve, this process must first wait for ended threads that
   it traces.)  */
extern bool thread_seize (pid_t tid, unsigned long options);

/* Read or write the registers and the signal mask of thread TID, which is
   stopped.  */
extern bool thread_get_registers (pid_t tid,
                                  struct tracee_registers *registers);
extern bool thread_set_registers (pid_t tid,
                                  const struct tracee_registers *registers);
extern bool thread_get_mask (pid_t tid, uint64_t *mask);
extern bool thread_set_mask (pid_t tid, uint64_t mask);

/* Return true if ONE and OTHER, threads or processes, share their memory.
   Return false if ONE and OTHER do not share their memory, or if the kernel
   gives no answer.  */
extern bool thread_has_memory_of (pid_t one, pid_t other);

/* Return true if ONE and OTHER certainly do not share their memory, according
   to the kernel.  */
extern bool thread_is_elsewhere (pid_t one, pid_t other);

/* Read or write the SIZE bytes at ADDRESS of MEMORY, a descriptor of
   /proc/PID/mem.  Return false if some of the bytes could not be
   transferred.  */
extern bool thread_read (int memory, uintptr_t address, void *to, size_t size);
extern bool thread_write (int memory, uintptr_t address, const void *from,
                          size_t size);

/* Block SIGCHLD, which thread_wait requires.  */
extern void thread_block_child (void);

/* Wait until thread TID stops, but at most until DEADLINE (0 means no
   deadline).  SIGCHLD must be blocked.  Return the wait status of the stop, 0
   if TID did not stop in time, or -1 if the thread has ended.  */
extern int thread_wait (pid_t tid, long deadline);

/* Return true if STATUS is the wait status of a stop for the ptrace EVENT.  */
extern bool thread_is_event (int status, int event);

/* Return the signal that must be delivered when a thread that has stopped
   with STATUS continues.  */
extern int thread_to_pass_on (int status);

/* Let thread TID continue from a stop with STATUS, and wait until DEADLINE for
   its next event stop.  Return what thread_wait returns.  */
extern int thread_go_on (pid_t tid, int status, long deadline);

#endif
