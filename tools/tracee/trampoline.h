/* The code by which a thread goes on rightly if those who trace it are killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: a trampoline is

     the system call that is wanted
     calls that clean up after it, had we no time to
     the call that gives the thread its signal mask back
     its registers, then a jump to where it was, or to the system call that
     was interrupted, which starts again

   It lies in the slack of the vDSO, between the end of its image and that of
   its last page: memory that is executable, that is not used, and that is the
   process's own as soon as it is written.  So neither text nor stack of the
   program is written to (the stacks of Go's goroutines are pieces of its heap,
   with other memory below them), no address of the program's has to
   be known, and the record by which the kernel goes on with an interrupted
   sleep stays as it is, which rt_sigreturn would clear.

   Where one of us was killed its trampoline stays, and its thread may still
   be in it.  So the slack is divided into regions, and one is used again only
   if its thread is gone, or is the one that we have.  In front of them are the
   words of lease.h and record.h.  */

#ifndef TRAMPOLINE_H
#define TRAMPOLINE_H

#include "tracee-arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A call that cleans up.  */
struct trampoline_call
{
  bool used;
  bool result; /* A is what the wanted call returned.  */
  long number;
  uintptr_t a, b;
  uint32_t c;
};

#define TRAMPOLINE_CALLS 4

/* Most others.  */
#define TRAMPOLINE_MOST 6

/* Where the slack of the vDSO of process PID begins that is not regions: of
   LEASE_SIZE and RECORD_SIZE bytes; 0 if there is none.  MEMORY is its
   /proc/PID/mem.  */
#define TRAMPOLINE_WORDS 32
extern uintptr_t trampoline_words (pid_t pid, int memory);

/* Find a region for thread TID of process PID, which is at PC; MEMORY is
   its /proc/PID/mem.  Returns NULL, or why there is none.  */
extern const char *trampoline_find (pid_t pid, pid_t tid, int memory,
                                    uintptr_t pc, uintptr_t *region);

/* Write the trampoline for thread TID, which gets SAVED and MASK back after
   COUNT calls, to REGION of MEMORY: all or nothing, even if we are killed.
   False if it cannot be written, or is too long.  */
extern bool trampoline_write (int memory, uintptr_t region, pid_t tid,
                              const struct tracee_registers *saved,
                              uint64_t mask,
                              const struct trampoline_call calls[],
                              size_t count);

/* Leave REGION as it was.  No thread is in it.  */
extern void trampoline_clear (int memory, uintptr_t region);

#endif
