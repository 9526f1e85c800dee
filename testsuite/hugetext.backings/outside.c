/* A debugger outside of the PID namespace of the program that it starts.  It
   sets a breakpoint at the program's entry.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   outside [-p] PROGRAM ARGUMENT...

   The program sees no tracer in its /proc/self/status, and with -p its
   /proc/self/pagemap is empty.  When the program reaches the breakpoint, the
   debugger prints "hit" and kills the program.  If the program ends
   without reaching the breakpoint, the debugger prints "not hit".  The exit
   status is 77 if there are no namespaces.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __aarch64__
static const uint32_t breakpoint = 0xd4200000;
#else
static const uint8_t breakpoint = 0xcc;
#endif

/* Return the address of the entry point of process PID's program, or 0 if it
   is unknown.  */
static uintptr_t
entry_of (pid_t pid)
{
  char path[32];
  ElfW (auxv_t) auxv[64];
  snprintf (path, sizeof path, "/proc/%d/auxv", (int) pid);
  int fd = open (path, O_RDONLY);
  ssize_t n = read (fd, auxv, sizeof auxv) / (ssize_t) sizeof *auxv;
  close (fd);
  for (ssize_t i = 0; i < n; ++i)
    if (auxv[i].a_type == AT_ENTRY)
      return auxv[i].a_un.a_val;
  return 0;
}

/* Set the breakpoint in process PID.  */
static int
set_breakpoint (pid_t pid)
{
  uintptr_t entry = entry_of (pid);
  uintptr_t aligned = entry & -sizeof (long int);
  long int word = ptrace (PTRACE_PEEKTEXT, pid, aligned, NULL);
  memcpy ((char *) &word + (entry - aligned), &breakpoint, sizeof breakpoint);
  return entry != 0 ? ptrace (PTRACE_POKETEXT, pid, aligned, word) : -1;
}

/* Mount the /proc of the new PID namespace.  If PAGEMAP is 0, mount an empty
   file over this process's pagemap.  Return 0 on success.  */
static int
mount_proc (int pagemap)
{
  return (unshare (CLONE_NEWNS) != 0
          || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
          || mount ("proc", "/proc", "proc", 0, NULL) != 0
          || (!pagemap
              && mount ("/dev/null", "/proc/self/pagemap", NULL, MS_BIND, NULL)
                     != 0));
}

int
main (int argc, char **argv)
{
  int status;
  const int pagemap = argc < 2 || strcmp (argv[1], "-p") != 0;
  argv += !pagemap;
  argc -= !pagemap;
  if (argc < 2 || unshare (CLONE_NEWPID) != 0)
    return 77;
  pid_t pid = fork ();
  if (pid == 0)
    {
      if (mount_proc (pagemap) != 0
          || ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit (77);
      execv (argv[1], argv + 1);
      _exit (127);
    }
  if (waitpid (pid, &status, 0) != pid || !WIFSTOPPED (status))
    return 77;
  if (set_breakpoint (pid) != 0)
    return 1;
  do
    ptrace (PTRACE_CONT, pid, NULL, NULL);
  while (waitpid (pid, &status, 0) == pid && WIFSTOPPED (status)
         && WSTOPSIG (status) != SIGTRAP);
  puts (WIFSTOPPED (status) ? "hit" : "not hit");
  if (WIFSTOPPED (status))
    kill (pid, SIGKILL);
  return 0;
}
