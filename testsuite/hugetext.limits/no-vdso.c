/* Execute a program as on a machine whose kernel has no vDSO (vdso=0).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   no-vdso PROGRAM [ARG...]: before the first instruction of PROGRAM, removes
   the entry AT_SYSINFO_EHDR from its auxiliary vector with ptrace, and
   detaches from it.  */

#include <elf.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Read or write the SIZE bytes at ADDRESS in process PID.  */
static void
move (pid_t pid, bool reads, unsigned long int address, void *data,
      size_t size)
{
  struct iovec here = { data, size };
  struct iovec there = { (void *) address, size };
  ssize_t got = (reads ? process_vm_readv (pid, &here, 1, &there, 1, 0)
                       : process_vm_writev (pid, &here, 1, &there, 1, 0));
  if (got != (ssize_t) size)
    error (EXIT_FAILURE, errno, "the program's stack");
}

/* Return the stack pointer of process PID, which is stopped before its first
   instruction.  */
static unsigned long int
stack_pointer (pid_t pid)
{
  struct user_regs_struct regs;
  struct iovec set = { &regs, sizeof regs };
  if (ptrace (PTRACE_GETREGSET, pid, NT_PRSTATUS, &set) != 0)
    error (EXIT_FAILURE, errno, "its registers");
#ifdef __x86_64__
  return regs.rsp;
#else
  return regs.sp;
#endif
}

/* Skip the words at ADDRESS in process PID up to and including the next null
   pointer.  Return the address of the word after the null pointer.  */
static unsigned long int
skip (pid_t pid, unsigned long int address)
{
  unsigned long int word;
  do
    {
      move (pid, true, address, &word, sizeof word);
      address += sizeof word;
    }
  while (word != 0);
  return address;
}

static void
remove_vdso (pid_t pid)
{
  /* Skip the number of arguments, the arguments, and the environment.  */
  unsigned long int at = stack_pointer (pid) + sizeof (long int);
  at = skip (pid, skip (pid, at));
  Elf64_auxv_t entry;
  bool removed = false;
  do
    {
      move (pid, true, at, &entry, sizeof entry);
      if (removed)
        move (pid, false, at - sizeof entry, &entry, sizeof entry);
      removed |= entry.a_type == AT_SYSINFO_EHDR;
      at += sizeof entry;
    }
  while (entry.a_type != AT_NULL);
}

int
main (int argc, char **argv)
{
  int status;
  pid_t pid = argc > 1 ? fork () : -1;
  if (pid == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) == 0)
        execvp (argv[1], argv + 1);
      error (EXIT_FAILURE, errno, "%s", argv[1]);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid || !WIFSTOPPED (status))
    error (EXIT_FAILURE, errno, "no program");
  remove_vdso (pid);
  if (ptrace (PTRACE_DETACH, pid, NULL, 0) != 0
      || waitpid (pid, &status, 0) != pid)
    error (EXIT_FAILURE, errno, "cannot go on");
  if (WIFSIGNALED (status))
    raise (WTERMSIG (status));
  return WEXITSTATUS (status);
}
