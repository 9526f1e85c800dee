/* Print the CPUID leaves that a program reads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: cpuid PROGRAM [ARG...]

   Executes PROGRAM instruction by instruction, and prints a line for each
   CPUID: leaf and subleaf, in hexadecimal.  The exit status is 77 if no
   process may trace another.  */

#include <err.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The bytes of the instruction, as a number.  */
#define CPUID 0xa20f

int
main (int argc, char **argv)
{
  pid_t pid = argc > 1 ? fork () : -1;
  struct user_regs_struct regs;
  int status;
  if (pid == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
      execv (argv[1], argv + 1);
      err (127, "%s", argv[1]);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    err (1, "cannot start a program");
  for (; WIFSTOPPED (status); waitpid (pid, &status, 0))
    if (ptrace (PTRACE_GETREGS, pid, NULL, &regs) != 0)
      err (1, "PTRACE_GETREGS");
    else
      {
        long int code = ptrace (PTRACE_PEEKTEXT, pid, regs.rip, NULL);
        if ((code & 0xffff) == CPUID)
          printf ("%x %x\n", (unsigned int) regs.rax, (unsigned int) regs.rcx);
        if (ptrace (PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
          err (1, "PTRACE_SINGLESTEP");
      }
  return WIFEXITED (status) ? WEXITSTATUS (status) : 1;
}
