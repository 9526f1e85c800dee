/* A library for LD_PRELOAD: ptrace fails, as it does when Yama or another
   security module forbids it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <errno.h>

long
ptrace (int request, ...)
{
  (void) request;
  errno = EPERM;
  return -1;
}
