/* Processes that do nothing, for unit tests.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IDLE_H
#define IDLE_H 1

#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../lib/parent.h"

/* Start a process that does nothing.  If WANTED is not 0, it is the process
   ID.  Return -1 on failure.  */
static pid_t
begin_idle (pid_t wanted)
{
  const pid_t parent = getpid ();
  struct clone_args arguments
      = { .exit_signal = SIGCHLD,
          .set_tid = wanted != 0 ? (uintptr_t) &wanted : 0,
          .set_tid_size = wanted != 0 };
  const pid_t pid = syscall (SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0)
    end_with_parent (parent);
  while (pid == 0)
    pause ();
  return pid;
}

#endif
