/* A program that runs another program under a restriction, which the other
   program inherits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   under RESTRICTION PROGRAM [ARGUMENT...]
   nothp       PR_SET_THP_DISABLE
   nothp-unadvised
               PR_SET_THP_DISABLE, except for advised memory (Linux 6.18)
   mdwe        PR_SET_MDWE: no memory becomes executable
   traced      as the child of a debugger, which lets the child run
   no-proc     nothing in /proc (in a new mount namespace)
   landlock    nothing below /var may be read
   and filters of system calls:
   filtered    forbids nothing
   no-prctl    refuses prctl
   no-perf     refuses perf_event_open, like the filters of containers
   no-madvise, no-mremap
               refuse a call that each copy needs
   short-madvise
               refuses madvise as if memory were short
   no-openat2  makes openat2 fail as if the kernel did not have it, as
               systemd's RestrictSUIDSGID= does
   refused-openat2
               refuses openat2
   no-exec     refuses to make memory executable, as systemd's
               MemoryDenyWriteExecute= does on kernels without PR_SET_MDWE
   kill-exec   kills a process that makes memory executable
   simple      kills a process for each system call that simple programs,
               malloc and the mapping of libraries do not make
   Exit status 77 means that this machine cannot impose the restriction.  */

#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#  include <linux/landlock.h>
#endif

#include "filter.h"

#ifndef PR_SET_MDWE
#  define PR_SET_MDWE 65 /* In Linux since 6.3.  */
#  define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

static int
set_nothp (void)
{
  return prctl (PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* PR_THP_DISABLE_EXCEPT_ADVISED.  */
static int
set_nothp_unadvised (void)
{
  return prctl (PR_SET_THP_DISABLE, 1, 1UL << 1, 0, 0);
}

static int
set_mdwe (void)
{
  return prctl (PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
}

/* The parent lets its child run to its end, and then ends in the same
   way.  */
static int
set_traced (void)
{
  int status;
  pid_t pid = fork ();
  if (pid <= 0)
    return pid == 0 ? ptrace (PTRACE_TRACEME, 0, NULL, NULL) : -1;
  while (waitpid (pid, &status, 0) == pid)
    {
      if (WIFEXITED (status))
        exit (WEXITSTATUS (status));
      if (WIFSIGNALED (status))
        exit (128 + WTERMSIG (status));
      int signal = WSTOPSIG (status) == SIGTRAP ? 0 : WSTOPSIG (status);
      ptrace (PTRACE_CONT, pid, NULL, signal);
    }
  return -1;
}

static int
set_no_proc (void)
{
  return (unshare (CLONE_NEWNS) != 0
          || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
          || mount ("none", "/proc", "tmpfs", 0, NULL) != 0);
}

static int
set_filtered (void)
{
  return filter_calls (NULL, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, 0);
}

static int
refuse (int call)
{
  return filter_calls (&call, 1, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW,
                       0);
}

static int
set_no_openat2 (void)
{
  const int call = SYS_openat2;
  return filter_calls (&call, 1, SECCOMP_RET_ERRNO | ENOSYS, SECCOMP_RET_ALLOW,
                       0);
}

static int
set_refused_openat2 (void)
{
  return refuse (SYS_openat2);
}

static int
set_no_prctl (void)
{
  return refuse (SYS_prctl);
}

static int
set_no_perf (void)
{
  return refuse (SYS_perf_event_open);
}

/* A service with SystemCallFilter=~madvise or =~mremap.  */
static int
set_no_madvise (void)
{
  return refuse (SYS_madvise);
}

static int
set_no_mremap (void)
{
  const int call = SYS_mremap;
  return filter_calls (&call, 1, SECCOMP_RET_ERRNO | ENOSYS, SECCOMP_RET_ALLOW,
                       0);
}

/* Let madvise fail with ENOMEM, as if memory were short.  */
static int
set_short_madvise (void)
{
  const int call = SYS_madvise;
  return filter_calls (&call, 1, SECCOMP_RET_ERRNO | ENOMEM, SECCOMP_RET_ALLOW,
                       0);
}

#define UNLESS_EQUAL(value, skip) \
  BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define UNLESS_SET(bits, skip) \
  BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (skip))

/* In both system calls, the protection is the third argument.  (The machine
   is little-endian.)  */
static int
forbid_exec (unsigned int action)
{
  struct sock_filter code[] = {
    FILTER_LOAD (nr),           UNLESS_EQUAL (SYS_mprotect, 3),
    FILTER_LOAD (args[2]),      UNLESS_SET (PROT_EXEC, 1),
    FILTER_RETURN (action),     FILTER_LOAD (nr),
    UNLESS_EQUAL (SYS_mmap, 4), FILTER_LOAD (args[2]),
    UNLESS_SET (PROT_EXEC, 2),  UNLESS_SET (PROT_WRITE, 1),
    FILTER_RETURN (action),     FILTER_RETURN (SECCOMP_RET_ALLOW),
  };
  return filter_install (code, sizeof code / sizeof code[0], 0);
}

static int
set_no_exec (void)
{
  return forbid_exec (SECCOMP_RET_ERRNO | EPERM);
}

static int
set_kill_exec (void)
{
  return forbid_exec (SECCOMP_RET_KILL_PROCESS);
}

/* Make fork fail, as if there were too many processes.  */
static int
set_no_fork (void)
{
  static const int calls[] = {
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_clone, SYS_clone3
  };
  return filter_calls (calls, sizeof calls / sizeof calls[0],
                       SECCOMP_RET_ERRNO | EAGAIN, SECCOMP_RET_ALLOW, 0);
}

static int
set_simple (void)
{
  static const int allowed[] = {
    /* The start of a program.  */
    SYS_execve,
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_openat,
    SYS_close,
    SYS_read,
    SYS_pread64,
    SYS_fstat,
    SYS_newfstatat,
    SYS_getcwd,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_prlimit64,
    SYS_getrandom,
    SYS_futex,
    /* malloc and free.  */
    SYS_mremap,
    SYS_madvise,
    /* Calls that the test program makes.  */
    SYS_write,
    SYS_clock_nanosleep,
    SYS_exit_group,
#ifdef SYS_access
    SYS_access,
    SYS_arch_prctl,
    SYS_readlink,
#endif
  };
  return filter_calls (allowed, sizeof allowed / sizeof allowed[0],
                       SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, 0);
}

#ifdef SYS_landlock_create_ruleset
/* Allow reading and executing files below /NAME, as the set of rules RULES
   says.  */
static void
allow_directory (int rules, const char *name)
{
  char path[NAME_MAX + 2];
  struct landlock_path_beneath_attr beneath
      = { .allowed_access
          = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE };
  snprintf (path, sizeof path, "/%s", name);
  beneath.parent_fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (beneath.parent_fd < 0)
    return;
  syscall (SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath,
           0);
  close (beneath.parent_fd);
}

static int
set_landlock (void)
{
  const struct landlock_ruleset_attr handled
      = { .handled_access_fs
          = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE };
  int rules
      = syscall (SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  DIR *root = opendir ("/");
  if (rules < 0 || root == NULL)
    return -1;
  for (struct dirent *entry; (entry = readdir (root)) != NULL;)
    if (entry->d_name[0] != '.' && strcmp (entry->d_name, "var") != 0)
      allow_directory (rules, entry->d_name);
  closedir (root);
  return (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
          || syscall (SYS_landlock_restrict_self, rules, 0) != 0);
}
#else
static int
set_landlock (void)
{
  return -1;
}
#endif

static const struct
{
  const char *name;
  int (*set) (void);
} restrictions[] = {
  { "nothp-unadvised", set_nothp_unadvised },
  { "landlock", set_landlock },
  { "nothp", set_nothp },
  { "mdwe", set_mdwe },
  { "traced", set_traced },
  { "no-proc", set_no_proc },
  { "filtered", set_filtered },
  { "no-prctl", set_no_prctl },
  { "no-perf", set_no_perf },
  { "no-madvise", set_no_madvise },
  { "no-mremap", set_no_mremap },
  { "short-madvise", set_short_madvise },
  { "no-openat2", set_no_openat2 },
  { "refused-openat2", set_refused_openat2 },
  { "no-exec", set_no_exec },
  { "kill-exec", set_kill_exec },
  { "no-fork", set_no_fork },
  { "simple", set_simple },
};

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  for (size_t i = 0; i < sizeof restrictions / sizeof restrictions[0]; ++i)
    if (strcmp (argv[1], restrictions[i].name) == 0)
      {
        if (restrictions[i].set () != 0)
          return 77;
        execvp (argv[2], argv + 2);
        perror (argv[2]);
        return 127;
      }
  return 2;
}
