/* The release of a stopped thread, which goes on as if it had not been
   stopped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A thread that did not stop in time stops later, after the command has given
   it up; that stop interrupts its call all the same.  */

#include "tracee/release.h"
#include "tracee/blocked.h"
#include "tracee/filter.h"
#include "tracee/thread.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

void
release_prepare (pid_t tid)
{
  filter_spare (tid);
  blocked_again (tid);
}

void
release_thread (pid_t tid, int status)
{
  if (thread_is_event (status, PTRACE_EVENT_STOP))
    release_prepare (tid);
  thread_request (PTRACE_DETACH, tid, thread_to_pass_on (status));
}

bool
release_strays (pid_t except)
{
  bool ended = false;
  int status;
  pid_t tid;
  while ((tid = waitpid (-1, &status, __WALL | WNOHANG)) > 0)
    if (WIFSTOPPED (status))
      release_thread (tid, status);
    else
      ended |= tid == except;
  return ended;
}
