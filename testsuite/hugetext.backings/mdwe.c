/* Run a program that may not make memory executable which was writable.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Exits with 77 where the kernel has no PR_SET_MDWE (before Linux 6.3).  */

#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
# define PR_SET_MDWE 65
#endif

int
main (int argc, char **argv)
{
  if (prctl (PR_SET_MDWE, 1, 0, 0, 0) != 0)
    return 77;
  if (argc > 1)
    execv (argv[1], argv + 1);
  return argc > 1 ? 126 : 0;
}
