/* A process that stays in state D (blocked in the kernel) until it is killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process that waits for a filesystem without an answer is in the same
   state, but cannot be killed.  */

#ifndef WAITING_H
#define WAITING_H 1

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Block in the kernel until this process is killed.  The process and its
   child end when their parents end.  */
static void __attribute__ ((noreturn)) wait_in_kernel (void)
{
  const pid_t parent = getpid ();
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  /* The process waits for its vfork child, which changes no memory.  The
     process may have been killed before its child calls prctl.  */
  if (vfork () == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      while (getppid () == parent)
        pause ();
    }
  _exit (1);
}

#endif
