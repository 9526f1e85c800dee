/* The reasons why a process cannot be traced, or must not be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_REFUSAL_H
#define TRACEE_REFUSAL_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Facts that identify a process as long as it does not execute another
   program: its auxiliary vector (with random addresses and AT_SECURE), its
   program, its users and capabilities.  */
struct tracee_facts
{
  size_t size, places; /* The size of all facts, and the size of the auxiliary
                          vector, in bytes.  */
  int error;           /* The error number with which the facts could not be
                          read, or 0.  */
  char bytes[1600];
};

/* Read the present facts of PID into FACTS.  Return false if the facts cannot
   be read.  */
extern bool tracee_remember (pid_t pid, struct tracee_facts *facts);

/* Set PROBLEM to the reason why a file of process PID in /proc could not be
   opened, or a thread of PID could not be traced.  ERROR is the error number.
   Usually the file or the thread is gone because process PID, or only its
   first thread, has ended.  But ERROR may mean that the command has too many
   open files.  Return false.  */
extern bool tracee_gone (pid_t pid, int error, struct problem *problem);

/* Return false and set PROBLEM if the present facts about process PID differ
   from FACTS.  Call this function after each opening of the process's memory,
   before anything is written to the memory.  */
extern bool tracee_check_facts (pid_t pid, const struct tracee_facts *facts,
                                struct problem *problem);

/* Return true if ONE and OTHER can be the facts of a process and its forked
   child.  Assume that neither the parent nor the child has executed a program
   since the fork.  */
extern bool tracee_akin (const struct tracee_facts *one,
                         const struct tracee_facts *other);

/* Return true if opening a file may need an answer from process PID itself,
   because PID has descriptors of FUSE, or of fanotify with permission
   events.  */
extern bool tracee_serves_files (pid_t pid);

/* Return true if the program that process PID runs is the file on descriptor
   FD of this process.  */
extern bool tracee_runs (pid_t pid, int fd);

/* Return false if process PID must not be traced.  */
extern bool tracee_check (pid_t pid, struct problem *problem);

/* Return false and set PROBLEM if no thread of process PID may be stopped
   now.  */
extern bool tracee_check_dump (pid_t pid, struct problem *problem);

/* Set PROBLEM to the reason why the kernel does not let this process trace
   process PID; ERROR is the error number.  Return false.  */
extern bool tracee_not_permitted (pid_t pid, int error,
                                  struct problem *problem);

/* Return true if thread TID, which is stopped at PC, is in a restartable
   sequence (rseq).  In a restartable sequence, the command must not change the
   thread's PC, because afterwards the kernel would not restart the sequence.
   MEMORY is the thread's /proc/PID/mem.  */
extern bool tracee_in_sequence (pid_t tid, int memory, uintptr_t pc);

/* Return true if the stopped thread TID receives SIGSYS in place of each
   system call that it tries to make (prctl (PR_SET_SYSCALL_USER_DISPATCH)).
   The command must not make a thread with PR_SET_SYSCALL_USER_DISPATCH execute
   system calls: because the thread has SIGSYS blocked in the trampoline, the
   kernel would kill the process.  Kernels before 6.4 do not report whether a
   thread uses PR_SET_SYSCALL_USER_DISPATCH.  */
extern bool tracee_is_dispatched (pid_t tid);

#endif
