/* Seccomp: find out whether a thread's filters allow the system calls that
   the command needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Before the process makes the first system call for the command, the command
   itself runs the process's filter on all calls that it may need, with their
   arguments: a filter may kill the process because of a call that the filter
   does not allow.  The command can read a filter only if it has CAP_SYS_ADMIN,
   the thread is stopped, and the command itself has no filter.  */

#ifndef FILTER_H
#define FILTER_H

#include "util/problem.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The text of the problem if a filter cannot be read.  */
#define FILTER_UNREADABLE                                                 \
  "the process has a seccomp filter, and only root outside of containers" \
  " can see whether the filter allows hugetext's system calls"

/* The flags with which attach makes a thread of the traced process open files
   (openat).  */
#define FILTER_OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Return false and set PROBLEM if thread TID is in a seccomp mode in which
   hugetext cannot work, or has a filter that this process cannot read.  The
   thread need not be stopped.  */
extern bool filter_check_mode (pid_t tid, struct problem *problem);

/* Return false and set PROBLEM if the seccomp filters of the stopped thread
   TID of process PID do not allow all system calls that the command needs.  PC
   is the address from which the thread will make these calls.  Set *REFUSED,
   for filter_refuses, to those calls that the filters refuse and that the
   command does not need.  */
extern bool filter_check (pid_t pid, pid_t tid, uintptr_t pc,
                          uint64_t *refused, struct problem *problem);

/* Suspend the seccomp filters of the stopped thread TID until the command
   detaches from it.  The present filters allow all calls that the command may
   make, but another thread may install a filter for all threads
   (SECCOMP_FILTER_FLAG_TSYNC) between two calls.  Until the command detaches,
   the thread makes no system call of its program.  If the kernel does not
   permit a suspension of the filters, because the command is not run by root
   or Linux is older than 4.3, do nothing.  */
extern void filter_suspend (pid_t tid);

/* Return true if REFUSED contains the system call NUMBER with the third
   argument ADVICE.  REFUSED distinguishes the third arguments, because filters
   may allow a call such as madvise for one advice, and refuse it for
   another.  */
extern bool filter_refuses (uint64_t refused, long number, uint64_t advice);

/* Make the stopped thread TID, before it continues, restart its interrupted
   call from the beginning, if filters forbid restart_syscall.  The kernel
   continues some interrupted calls, such as a sleep, with restart_syscall.  */
extern void filter_spare (pid_t tid);

#endif
