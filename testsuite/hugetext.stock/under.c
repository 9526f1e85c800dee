/* Run a program under a restriction that it inherits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   under nothp PROGRAM...        PR_SET_THP_DISABLE
   under mdwe PROGRAM...         PR_SET_MDWE: no memory becomes executable
   under filtered PROGRAM...     a seccomp filter that forbids nothing
   under no-prctl PROGRAM...     one that refuses prctl
   under traced PROGRAM...       as a debugger's child, which it lets run
   under no-proc PROGRAM...      nothing in /proc (in a new mount namespace)
   Exit status 77: not possible here.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
# define PR_SET_MDWE 65         /* Linux 6.3.  */
# define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/* Set a filter with ACTION for prctl, which allows all other calls.  */
static int
set_filter (unsigned int action)
{
  struct sock_filter code[]
    = { BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
        BPF_STMT (BPF_RET | BPF_K, action),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
  struct sock_fprog program = { 4, code };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Let the child PID run until it ends, and end as it did.  */
static int
trace (pid_t pid)
{
  int status;
  while (waitpid (pid, &status, 0) == pid)
    {
      if (WIFEXITED (status))
        return WEXITSTATUS (status);
      if (WIFSIGNALED (status))
        return 128 + WTERMSIG (status);
      int signal = WSTOPSIG (status) == SIGTRAP ? 0 : WSTOPSIG (status);
      ptrace (PTRACE_CONT, pid, NULL, signal);
    }
  return 77;
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  if (strcmp (argv[1], "nothp") == 0)
    {
      if (prctl (PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
        return 77;
    }
  else if (strcmp (argv[1], "mdwe") == 0)
    {
      if (prctl (PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
        return 77;
    }
  else if (strcmp (argv[1], "filtered") == 0)
    {
      if (set_filter (SECCOMP_RET_ALLOW) != 0)
        return 77;
    }
  else if (strcmp (argv[1], "no-prctl") == 0)
    {
      if (set_filter (SECCOMP_RET_ERRNO | EPERM) != 0)
        return 77;
    }
  else if (strcmp (argv[1], "no-proc") == 0)
    {
      if (unshare (CLONE_NEWNS) != 0
          || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
          || mount ("none", "/proc", "tmpfs", 0, NULL) != 0)
        return 77;
    }
  else if (strcmp (argv[1], "traced") == 0)
    {
      pid_t pid = fork ();
      if (pid != 0)
        return pid > 0 ? trace (pid) : 77;
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    }
  else
    return 2;
  execv (argv[2], argv + 2);
  perror (argv[2]);
  return 127;
}
