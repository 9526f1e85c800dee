/* The trampoline: code by which a thread continues correctly if hugetext is
   killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: a trampoline has

     the requested system call
     cleanup calls, in case hugetext is killed before it can clean up
     the call that restores the thread's signal mask
     code that restores its registers and jumps to where it was, or to the
     interrupted system call, which is restarted

   The trampoline lies in the slack of the vDSO, between the end of its image
   and the end of its last page: unused memory, which becomes private to the
   process when it is written.  The process may have moved the vDSO or changed
   its protection, so the command asks the kernel each time where the vDSO is
   and whether it is executable.  With the slack, the command writes neither to
   the program's text nor to its stack (the stacks of Go's goroutines are
   pieces of the heap, with other memory below them), needs no address of the
   program, and keeps the state by which the kernel continues an interrupted
   sleep, which rt_sigreturn would clear.

   If hugetext is killed, its trampoline stays, and its thread may still be in
   it.  So the slack is divided into regions, and the command reuses a region
   only if its thread has ended, or is the one that is stopped now.  The words
   of lease.h and changes.h come before the regions.  */

#ifndef TRAMPOLINE_H
#define TRAMPOLINE_H

#include "tracee-arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A cleanup call.  */
struct trampoline_call
{
  bool used;
  bool result; /* A is the result of the wanted call.  */
  long number;
  uintptr_t a, b;
  uint32_t c;
};

#define TRAMPOLINE_CALLS 4

/* The most calls besides.  */
#define TRAMPOLINE_MOST 6

/* Return the address of the words at the beginning of the slack of process
   PID's vDSO: TRAMPOLINE_WORDS bytes for lease.h and changes.h; 0 if there is
   no slack. MEMORY is its /proc/PID/mem.  */
#define TRAMPOLINE_WORDS 32
extern uintptr_t trampoline_words (pid_t pid, int memory);

/* Return the address of TRAMPOLINE_ZEROS bytes in the vDSO of process PID that
   are zero and never written; 0 if there are none.  */
#define TRAMPOLINE_ZEROS 48
extern uintptr_t trampoline_zeros (pid_t pid, int memory);

/* Return why process PID can have no trampoline: it has unmapped its vDSO, or
   made it not executable.  NULL if it can.  */
extern const char *trampoline_refusal (pid_t pid, int memory);

/* Find a region for thread TID of process PID, which is at PC; MEMORY is its
   /proc/PID/mem.  Set *WORDS as trampoline_words.  Return NULL, or why there
   is none.  */
extern const char *trampoline_find (pid_t pid, pid_t tid, int memory,
                                    uintptr_t pc, uintptr_t *words,
                                    uintptr_t *region);

/* Write the trampoline for thread TID, which gets SAVED and MASK back after
   COUNT calls, to REGION of MEMORY: all or nothing, even if hugetext is
   killed.  False if it cannot be written, or is too long.  */
extern bool trampoline_write (int memory, uintptr_t region, pid_t tid,
                              const struct tracee_registers *saved,
                              uint64_t mask,
                              const struct trampoline_call calls[],
                              size_t count);

/* Clear REGION.  No thread is in it.  */
extern void trampoline_clear (int memory, uintptr_t region);

#endif
