/* The filter of a thread's system calls (seccomp): whether it allows the
   command's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A call that is not allowed may kill the process.  So before the first one
   the filter itself is asked, for all that there may be, with their
   arguments.  To read it takes CAP_SYS_ADMIN, no filter of one's own, and a
   thread that is stopped.  */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The message where a filter cannot be read.  */
#define FILTER_UNREADABLE                                                     \
  "its system calls are filtered (seccomp), and only root of the machine can" \
  " see whether the filter allows ours"

/* Whether we may read filters at all, as far as can be told.  */
extern bool filter_readable (void);

/* Why the filter of thread TID of process PID, which is stopped, does not let
   all calls through that may be made from PC there; NULL if it does, or there
   is none.  In static memory.  */
extern const char *filter_refusal (pid_t pid, pid_t tid, uintptr_t pc);

/* Thread TID is stopped, and is going to run on.  If the kernel would have it
   go on by restart_syscall with a call that was interrupted, a sleep for one,
   and the filter does not allow that, it makes the call again from its
   beginning.  */
extern void filter_spare (pid_t tid);

#endif
