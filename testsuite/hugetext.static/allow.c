/* Run a program under a seccomp filter that allows everything.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  struct sock_filter all
      = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = { 1, &all };
  if (argc < 2 || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    {
      perror ("seccomp");
      return 77;
    }
  execvp (argv[1], argv + 1);
  perror (argv[1]);
  return 77;
}
