/* ptrace under Yama or another security module: it is refused.
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
