/* The trampoline: code with which a thread continues correctly if hugetext is
   killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: a trampoline consists of

     the requested system call
     cleanup calls, in case hugetext is killed before it can clean up
     the call that restores the thread's signal mask
     code that restores the thread's registers and jumps to its old PC,
     or to its interrupted system call to restart it

   The trampoline lies in the slack of the vDSO, between the end of the vDSO's
   image and the end of its last page.  The slack of the vDSO is unused memory,
   and becomes private to the process when it is written.  Whenever the command
   needs the vDSO, it asks the kernel where the vDSO is and whether the vDSO is
   executable, because the process may have moved the vDSO or changed its
   protection.  Because the trampoline is in the slack of the vDSO, the command
   need not write to the program's text or stack.  Writing below a stack is not
   safe, because the stack of a Go goroutine is part of the heap, and other
   data may lie below it.  The command also need not know any address in the
   program.  On x86-64 the trampoline does not use rt_sigreturn, because this
   call would clear the restart block of the thread, which the kernel needs to
   continue an interrupted sleep.  On AArch64 the trampoline must use
   rt_sigreturn (tracee-arch.h).

   The slack of the vDSO is divided into regions, each for the trampoline of
   one thread, because if hugetext is killed, its trampoline stays in memory,
   and a thread may still be executing the trampoline.  The command reuses a
   region only if its thread has ended, or is the thread that is stopped now.
   In front of the regions, the slack contains the lease (lease.h) and the
   address of the record (changes.h).  */

#ifndef TRAMPOLINE_H
#define TRAMPOLINE_H

#include "util/problem.h"
#include "tracee-arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A system call that the thread makes after the requested call.  */
struct trampoline_call
{
  bool used;
  bool result; /* True if the first argument of the system call is the result
                  of the requested call, not the member A.  */
  long number;
  uintptr_t a, b;
  uint32_t c;
};

#define TRAMPOLINE_CALLS 4

/* The maximum number of system calls that a trampoline makes in addition to
   the requested call.  */
#define TRAMPOLINE_MOST 6

/* Return the address of the slack of process PID's vDSO.  The first
   TRAMPOLINE_WORDS bytes of the slack contain the lease (lease.h) and the
   address of the record (changes.h).  Return 0 if the vDSO has no slack
   (unused space at its end).  MEMORY is the process's /proc/PID/mem.  */
#define TRAMPOLINE_WORDS 32
extern uintptr_t trampoline_words (pid_t pid, int memory);

/* Return the address of TRAMPOLINE_ZEROS bytes in the vDSO of process PID that
   are zero and that no process writes: the first section header.  Return 0 if
   the vDSO has no section headers.  */
#define TRAMPOLINE_ZEROS 48
extern uintptr_t trampoline_zeros (pid_t pid, int memory);

/* Return false and set PROBLEM if process PID cannot have a trampoline,
   because the process has unmapped its vDSO, or has made the vDSO not
   executable.  */
extern bool trampoline_check (pid_t pid, int memory, struct problem *problem);

/* The text of the problem if the vDSO has no free space left.  */
#define TRAMPOLINE_NO_SPACE \
  "the vDSO of the process has too little free space for hugetext's code"

/* Find a region for thread TID of process PID, whose program counter is PC.
   MEMORY is the process's /proc/PID/mem.  Set *WORDS to the result of
   trampoline_words.  If no region can be used, set PROBLEM and return
   false.  */
extern bool trampoline_find (pid_t pid, pid_t tid, int memory, uintptr_t pc,
                             uintptr_t *words, uintptr_t *region,
                             struct problem *problem);

/* Write a trampoline for thread TID to REGION of MEMORY.  The trampoline makes
   COUNT calls, and then restores SAVED and MASK.  The write is atomic, even if
   hugetext is killed.  Return false if the memory cannot be written, or if the
   trampoline is too long.  */
extern bool trampoline_write (int memory, uintptr_t region, pid_t tid,
                              const struct tracee_registers *saved,
                              uint64_t mask,
                              const struct trampoline_call calls[],
                              size_t count);

/* Clear REGION.  Call this function only if no thread is executing code in
   REGION.  */
extern void trampoline_clear (int memory, uintptr_t region);

#endif
