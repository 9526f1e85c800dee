/* A process that does not live longer than its parent.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PARENT_H
#define PARENT_H 1

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Let the kernel kill this process when PARENT, its parent, ends.  PARENT may
   have ended before this process has asked the kernel, so end this process if
   its parent has changed.  */
static inline void
end_with_parent (pid_t parent)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid () != parent)
    _exit (1);
}

#endif
