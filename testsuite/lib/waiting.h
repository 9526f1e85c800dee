/* A process that stays in state D (blocked in the kernel) until it is killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process that waits for the answer of a filesystem is also in state D, but
   cannot be killed.  */

#ifndef WAITING_H
#define WAITING_H 1

#include "parent.h"

/* Block in the kernel until this process is killed.  The process ends when
   PARENT, its parent, ends, and its child ends with it.  */
static void __attribute__ ((noreturn)) wait_in_kernel (pid_t parent)
{
  const pid_t self = getpid ();
  end_with_parent (parent);
  /* The process waits for its vfork child, which changes no memory.  */
  if (vfork () == 0)
    {
      end_with_parent (self);
      for (;;)
        pause ();
    }
  _exit (1);
}

#endif
