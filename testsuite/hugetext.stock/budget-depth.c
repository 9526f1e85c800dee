/* Measure how much of its stack a program uses, for the budget.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: budget-depth PROGRAM [ARGUMENT...]

   A child executes PROGRAM, one instruction at a time.  Prints by how many
   bytes the lowest value of the stack pointer was below its first value.  The
   number of pages of the stack does not show how deep the stack is, because
   its first address is random.  */

#include <err.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <elf.h>
#include <unistd.h>

/* Return the stack pointer of process PID.  */
static unsigned long
stack_pointer (pid_t pid)
{
  struct user_regs_struct registers;
  struct iovec all = { &registers, sizeof registers };
  if (ptrace (PTRACE_GETREGSET, pid, (void *) NT_PRSTATUS, &all) != 0)
    err (1, "PTRACE_GETREGSET");
#ifdef __x86_64__
  return registers.rsp;
#else
  return registers.sp;
#endif
}

int
main (int argc, char **argv)
{
  unsigned long first = 0, least = 0;
  int status;
  if (argc < 2)
    errx (2, "usage: budget-depth PROGRAM [ARGUMENT...]");
  const pid_t pid = fork ();
  if (pid < 0)
    err (1, "fork");
  if (pid == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        err (1, "PTRACE_TRACEME");
      execv (argv[1], argv + 1);
      err (1, "%s", argv[1]);
    }
  while (waitpid (pid, &status, 0) == pid && WIFSTOPPED (status))
    {
      const unsigned long now = stack_pointer (pid);
      if (first == 0)
        first = least = now;
      if (now < least)
        least = now;
      if (ptrace (PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
        err (1, "PTRACE_SINGLESTEP");
    }
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    errx (1, "status %#x", status);
  printf ("%lu\n", first - least);
  return 0;
}
