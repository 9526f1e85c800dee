/* The seccomp filter of a thread: whether it allows the system calls that the
   command needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A filter may kill the process for a system call that it does not allow.  So
   before the first call, the command evaluates the filter for all calls that
   the command may make, with their arguments.  Reading a filter takes
   CAP_SYS_ADMIN, a stopped thread, and a command without a filter of its
   own.  */

#ifndef FILTER_H
#define FILTER_H

#include "util/problem.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The message for a filter that cannot be read.  */
#define FILTER_UNREADABLE                                              \
  "the process has a seccomp filter, and only root of the machine can" \
  " see whether the filter allows ours"

/* Whether this process may read filters at all, as far as it can tell.  */
extern bool filter_readable (void);

/* Return false if the seccomp filter of thread TID of process PID does not
   allow all system calls that the command may make from PC.  The thread is
   stopped.  Set ASKS to whether the filter lets msync through, with which the
   command asks for locks; the command can do without it.  */
extern bool filter_check (pid_t pid, pid_t tid, uintptr_t pc, bool *asks,
                          struct problem *problem);

/* Prepare thread TID, which is stopped, to continue: if the kernel would
   continue an interrupted call, such as a sleep, by restart_syscall, and the
   filter forbids restart_syscall, make the thread restart the interrupted call
   from its beginning.  */
extern void filter_spare (pid_t tid);

#endif
