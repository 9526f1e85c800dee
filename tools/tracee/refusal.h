/* Reasons why a process cannot, or must not, be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACEE_REFUSAL_H
#define TRACEE_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Facts that tell a process from the same process after it has executed
   another program: its auxiliary vector (places of its own, chosen by chance,
   and AT_SECURE), its program, its users and capabilities.  */
struct tracee_facts
{
  size_t size, places; /* Of the auxiliary vector alone.  */
  char bytes[1600];
};

/* The facts of PID now.  False if that cannot be read.  */
extern bool tracee_remember (pid_t pid, struct tracee_facts *facts);

/* That PID is something else than FACTS now; NULL if it is the same.  Asked
   whenever its memory has been opened, before that is written to.  */
extern const char *tracee_changed (pid_t pid,
                                   const struct tracee_facts *facts);

/* Whether that is of two processes of which one was forked of the other, and
   none has executed a program since.  */
extern bool tracee_akin (const struct tracee_facts *one,
                         const struct tracee_facts *other);

/* Whether opening a file in PID might have PID itself be asked: it has
   descriptors of fanotify, with permission events, or of FUSE.  */
extern bool tracee_serves_files (pid_t pid);

/* Why process PID must not be; NULL if it may, as far as can be told.  In
   static memory, as the next.  */
extern const char *tracee_refusal (pid_t pid);

/* Why no thread of it must be stopped right now; NULL if any may.  */
extern const char *tracee_dumping (pid_t pid);

/* Why the kernel did not let us trace PID: ERROR is errno.  */
extern const char *tracee_not_permitted (pid_t pid, int error);

/* Whether the system calls of thread TID of process PID are filtered.  */
extern bool tracee_is_filtered (pid_t pid, pid_t tid);

/* Whether thread TID, which is stopped at PC and has MEMORY, is in a
   restartable sequence, of which the kernel would forget that it has to be
   begun anew if the thread was led elsewhere.  */
extern bool tracee_in_sequence (pid_t tid, int memory, uintptr_t pc);

/* Whether thread TID, which is stopped, gets signals instead of system calls
   (prctl (PR_SET_SYSCALL_USER_DISPATCH)), which would kill it while it has
   them blocked.  Kernels before 6.4 do not tell.  */
extern bool tracee_is_dispatched (pid_t tid);

#endif
