/* Reasons why a process cannot, or must not, be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_REFUSAL_H
#define TRACEE_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Facts that change when a process executes another program: its auxiliary
   vector (random addresses, and AT_SECURE), its program, its users and
   capabilities.  */
struct tracee_facts
{
  size_t size, places; /* The bytes of all facts, and of the auxiliary
                          vector.  */
  char bytes[1600];
};

/* Read the present facts of PID.  False if they cannot be read.  */
extern bool tracee_remember (pid_t pid, struct tracee_facts *facts);

/* Return why files of a process in /proc could not be opened, with ERROR: it
   has ended, unless the command has too many open files.  */
extern const char *tracee_gone (int error);

/* Return that PID no longer has FACTS; NULL if it has.  Callers check this
   after each opening of its memory, before they write to it.  */
extern const char *tracee_changed (pid_t pid,
                                   const struct tracee_facts *facts);

/* Whether ONE and OTHER are facts of two processes of which one was forked
   from the other, and neither has executed a program since.  */
extern bool tracee_akin (const struct tracee_facts *one,
                         const struct tracee_facts *other);

/* Whether PID itself may have to answer when it opens a file: it has
   descriptors of fanotify with permission events, or of FUSE.  */
extern bool tracee_serves_files (pid_t pid);

/* Whether the program that PID runs is the file that this process has open as
   FD.  */
extern bool tracee_runs (pid_t pid, int fd);

/* Return why process PID must not be traced; NULL if, as far as the command
   can tell, it may be.  The texts of this function and the next are in static
   memory.  */
extern const char *tracee_refusal (pid_t pid);

/* Return why no thread of PID may be stopped now; NULL if any may.  */
extern const char *tracee_dumping (pid_t pid);

/* Return why the kernel refused to let this process trace PID; ERROR is
   errno.  */
extern const char *tracee_not_permitted (pid_t pid, int error);

/* Whether thread TID, which is stopped at PC and has MEMORY, is in a
   restartable sequence: if its PC were changed, the kernel would not restart
   the sequence.  */
extern bool tracee_in_sequence (pid_t tid, int memory, uintptr_t pc);

/* Whether thread TID, which is stopped, gets signals instead of system calls
   (prctl (PR_SET_SYSCALL_USER_DISPATCH)); with signals blocked they would kill
   it.  Kernels before 6.4 do not tell.  */
extern bool tracee_is_dispatched (pid_t tid);

#endif
