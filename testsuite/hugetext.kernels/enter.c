/* Change the root directory, become an ordinary user, and run a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   enter DIRECTORY USER PROGRAM [ARG...]

   USER is a user ID.  This program is linked statically, so that only the
   loader of PROGRAM sees the environment that is meant for that loader.  */

#define _GNU_SOURCE 1
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  if (argc < 4)
    {
      fputs ("usage: enter DIRECTORY USER PROGRAM [ARG...]\n", stderr);
      return 2;
    }
  uid_t user = strtoul (argv[2], NULL, 10);
  if (chroot (argv[1]) != 0 || chdir ("/") != 0 || setgroups (0, NULL) != 0
      || setresgid (user, user, user) != 0
      || setresuid (user, user, user) != 0)
    {
      perror (argv[1]);
      return 127;
    }
  execv (argv[3], argv + 3);
  perror (argv[3]);
  return 127;
}
