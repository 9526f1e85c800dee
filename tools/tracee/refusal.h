/* Reasons why a process cannot, or must not, be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_REFUSAL_H
#define TRACEE_REFUSAL_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Facts that change when a process executes another program: its auxiliary
   vector (random addresses, and AT_SECURE), its program, its users and
   capabilities.  */
struct tracee_facts
{
  size_t size, places; /* The sizes of all facts and of the auxiliary vector,
                          in bytes.  */
  char bytes[1600];
};

/* Read the present facts of PID into FACTS.  Return false if they cannot be
   read.  */
extern bool tracee_remember (pid_t pid, struct tracee_facts *facts);

/* Set PROBLEM to the reason why the command could not open a process's files
   in /proc. ERROR is errno.  The process has ended, unless ERROR says that the
   command has too many open files.  Return false.  */
extern bool tracee_gone (int error, struct problem *problem);

/* Return false if PID no longer has FACTS.  Callers check this each time
   after they open the process's memory, before they write to the memory.  */
extern bool tracee_check_facts (pid_t pid, const struct tracee_facts *facts,
                                struct problem *problem);

/* Whether ONE and OTHER are the facts of a process and its forked child,
   neither of which has executed a program since the fork.  */
extern bool tracee_akin (const struct tracee_facts *one,
                         const struct tracee_facts *other);

/* Whether an opened file may depend on an answer from PID itself: PID has
   descriptors of FUSE, or of fanotify with permission events.  */
extern bool tracee_serves_files (pid_t pid);

/* Whether the program that PID runs is the file that this process has open as
   FD.  */
extern bool tracee_runs (pid_t pid, int fd);

/* Return false if process PID must not be traced.  */
extern bool tracee_check (pid_t pid, struct problem *problem);

/* Return false if no thread of PID may be stopped now.  */
extern bool tracee_check_dump (pid_t pid, struct problem *problem);

/* Set PROBLEM to the reason why the kernel refused to let this process trace
   PID; ERROR is errno.  Return false.  */
extern bool tracee_not_permitted (pid_t pid, int error,
                                  struct problem *problem);

/* Whether thread TID, which is stopped at PC, is in a restartable sequence
   (rseq).  If the command changed the thread's PC, the kernel would not
   restart the sequence.  MEMORY is the thread's /proc/PID/mem.  */
extern bool tracee_in_sequence (pid_t tid, int memory, uintptr_t pc);

/* Whether thread TID, which is stopped, gets signals instead of system calls
   (prctl (PR_SET_SYSCALL_USER_DISPATCH)); while its signals are blocked, such
   a signal would kill the thread.  Kernels before 6.4 do not tell.  */
extern bool tracee_is_dispatched (pid_t tid);

#endif
