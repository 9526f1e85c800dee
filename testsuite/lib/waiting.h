/* A process that the kernel keeps in state D, until the process is killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process that waits for a file system without an answer is in the same
   state, but cannot be killed.  */

#ifndef WAITING_H
#define WAITING_H 1

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Wait in the kernel until the process is killed.  It and its child end with
   their parents.  */
static void __attribute__ ((noreturn)) wait_in_kernel (void)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  /* The process waits for its child, which changes no memory.  */
  if (vfork () == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      for (;;)
        pause ();
    }
  _exit (1);
}

#endif
