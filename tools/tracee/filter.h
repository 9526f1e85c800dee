/* The filter of a thread's system calls (seccomp): whether it allows the
   command's calls.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A filter may kill the process for a call that it does not allow.  So before
   the first call, the command interprets the filter for all calls that it may
   make, with their arguments.  Reading a filter takes CAP_SYS_ADMIN, a stopped
   thread, and a command without a filter of its own.  */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The message for a filter that cannot be read.  */
#define FILTER_UNREADABLE                                              \
  "the process has a seccomp filter, and only root of the machine can" \
  " see whether the filter allows ours"

/* Whether this process may read filters at all, as far as it can tell.  */
extern bool filter_readable (void);

/* Return why the filter of thread TID of process PID, which is stopped, does
   not allow all calls that the command may make from PC; NULL if it does, or
   if there is none.  In static memory.  */
extern const char *filter_refusal (pid_t pid, pid_t tid, uintptr_t pc);

/* Prepare thread TID, which is stopped, to continue: if the kernel would
   continue an interrupted call, such as a sleep, by restart_syscall, and the
   filter forbids that, make the thread restart the call from its
   beginning.  */
extern void filter_spare (pid_t tid);

#endif
