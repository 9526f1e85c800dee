/* A program in which one thread installs a filter for all threads, while
   another thread, which makes code huge, gets no processor.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The parent uses ptrace to stop, for a fifth of a second, the thread that
   makes code huge.  The thread is stopped in the first system call that the
   code object makes of its own for a block (mincore, or opening a file).  The
   filter kills the process at each call that the code object makes of its own.
   The program prints how the child has ended.  The exit status is 77 if ptrace
   or filters are not possible.  */

#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "filter.h"

#define BLOCK (2UL << 20)

/* The memory that both processes share.  */
static volatile struct
{
  int begin;   /* The thread is traced.  */
  int stopped; /* The thread is stopped.  */
  int installed, ended;
} * shared;

static void *
install (void *closure)
{
  static const int list[]
      = { SYS_openat, SYS_read, SYS_pread64, SYS_mincore, SYS_madvise };
  while (!shared->stopped)
    usleep (1000);
  if (filter_calls (list, sizeof list / sizeof *list, SECCOMP_RET_KILL_PROCESS,
                    SECCOMP_RET_ALLOW, SECCOMP_FILTER_FLAG_TSYNC)
      != 0)
    _exit (77);
  shared->installed = 1;
  /* Do not end this thread: at its end, libc would call madvise for its stack,
     and the filter would kill the process.  */
  for (;;)
    pause ();
  return closure;
}

/* Run the child, whose first thread makes the code.  */
static void
run (void)
{
  pthread_t thread;
  char *space = mmap (NULL, 2 * BLOCK, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char *code = (char *) (((unsigned long int) space + BLOCK - 1) & -BLOCK);
  if (space == MAP_FAILED
      || mprotect (code, BLOCK, PROT_READ | PROT_WRITE) != 0
      || pthread_create (&thread, NULL, install, NULL) != 0)
    _exit (2);
  memset (code, 0xc3, BLOCK);
  while (!shared->begin)
    usleep (1000);
  mprotect (code, BLOCK, PROT_READ | PROT_EXEC);
  shared->ended = 1;
  while (!shared->installed)
    usleep (1000);
  _exit (0);
}

/* Let the child run until it enters its next system call.  Return the number
   of this call, or -1 if there is none.  */
static long int
next_call (pid_t child)
{
  int status;
  struct __ptrace_syscall_info info;
  for (;;)
    {
      if (ptrace (PTRACE_SYSCALL, child, 0, 0) != 0
          || waitpid (child, &status, 0) != child || !WIFSTOPPED (status))
        return -1;
      if (WSTOPSIG (status) != (SIGTRAP | 0x80))
        continue;
      if (ptrace (PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0)
        _exit (77);
      if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
        return info.entry.nr;
    }
}

int
main (void)
{
  int status;
  shared = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork ();
  if (child == 0)
    run ();
  if (shared == MAP_FAILED || child < 0)
    return 2;
  usleep (50000);
  if (ptrace (PTRACE_SEIZE, child, 0,
              PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)
          != 0
      || ptrace (PTRACE_INTERRUPT, child, 0, 0) != 0
      || waitpid (child, &status, 0) != child)
    return 77;
  shared->begin = 1;
  long int number;
  do
    number = next_call (child);
  while (number != -1 && number != SYS_mincore && number != SYS_openat
         && number != SYS_exit_group);
  printf ("it makes a block: %d\n", number != -1 && number != SYS_exit_group);
  fflush (stdout);
  shared->stopped = 1;
  usleep (200000);
  printf ("meanwhile a filter: %d\n", shared->installed);
  ptrace (PTRACE_DETACH, child, 0, 0);
  if (waitpid (child, &status, 0) != child)
    return 2;
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    return 77;
  printf ("status %d, signal %d\n",
          WIFEXITED (status) ? WEXITSTATUS (status) : -1,
          WIFSIGNALED (status) ? WTERMSIG (status) : 0);
  return 0;
}
