/* Run a program under a seccomp filter that kills it for a system call that
   mapping libraries, malloc and simple programs do not make.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Exits with 77 where there are no filters.  */

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
# define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
# define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
# define SECCOMP_RET_KILL_PROCESS 0x80000000U   /* Linux 4.14.  */
#endif

static const int allowed[] =
{
  /* The start of a program.  */
  SYS_execve, SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_openat,
  SYS_close, SYS_read, SYS_pread64, SYS_fstat, SYS_newfstatat, SYS_getcwd,
  SYS_readlinkat, SYS_faccessat, SYS_set_tid_address, SYS_set_robust_list, SYS_rseq,
  SYS_prlimit64, SYS_getrandom, SYS_futex,
  /* malloc and free.  */
  SYS_mremap, SYS_madvise,
  /* What it does.  */
  SYS_write, SYS_clock_nanosleep, SYS_exit_group,
#ifdef SYS_access
  SYS_access, SYS_arch_prctl, SYS_readlink,
#endif
};

enum { COUNT = sizeof allowed / sizeof allowed[0] };

int
main (int argc, char **argv)
{
  struct sock_filter code[COUNT + 6];
  struct sock_fprog program = { .filter = code };
  size_t n = 0;

  code[n++] = (struct sock_filter)
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, arch));
  code[n++] = (struct sock_filter)
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  code[n++] = (struct sock_filter)
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  code[n++] = (struct sock_filter)
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr));
  for (size_t i = 0; i < COUNT; ++i)
    code[n++] = (struct sock_filter)
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, allowed[i], COUNT - i, 0);
  code[n++] = (struct sock_filter)
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  code[n++] = (struct sock_filter)
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  program.len = n;

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  if (argc > 1)
    execv (argv[1], argv + 1);
  /* There is nothing that could be said.  */
  _exit (argc > 1 ? 126 : 0);
}
