/* Record the system calls that a command makes, or run a command under a
   filter that kills the process if it makes any other system call.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   stock record FILE COMMAND [ARGUMENT...]
       runs the command, and adds to FILE the system calls of the command, its
       threads and its children, with those arguments that are flags or that
       select an operation
   stock only FILE COMMAND [ARGUMENT...]
       executes the command under a filter that kills the process if it makes a
       call that is not in FILE.  If FILE is "chromium" or "firefox", the
       filter treats mmap, mprotect, madvise, mremap, openat and prctl as the
       sandbox of that browser does, and allows all other calls.
   stock use FILE [LIBRARY NAME [main|thread]]
       does what programs do: uses malloc in two threads, forks, opens LIBRARY,
       calls its text and closes it again.  With "main" or "thread", the main
       thread or the second thread installs the filter of FILE before it opens
       LIBRARY.

   The exit status is 77 if the kernel lacks what is needed.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter.h"
#include "text.h"

#ifndef PTRACE_GET_SYSCALL_INFO
#  define PTRACE_GET_SYSCALL_INFO 0x420e /* Linux 5.3.  */
#endif

/* The beginning of struct ptrace_syscall_info when a system call is
   entered.  */
struct entry
{
  uint8_t op; /* 1.  */
  uint8_t pad[3];
  uint32_t arch;
  uint64_t instruction, stack;
  uint64_t number;
  uint64_t args[6];
};

/* A kind of call: its number, and the indices and values of two arguments.  An
   index of -1 means that there is no such argument.  */
struct kind
{
  int32_t number;
  int32_t which[2];
  uint32_t value[2];
};

enum
{
  KINDS = 500,
};

static struct kind kinds[KINDS];
static size_t count;

/* The indices of the arguments by which the kinds of a call differ.  */
static const struct
{
  int number, which[2];
} looked_at[] = {
  { SYS_mmap, { 2, 3 } },       { SYS_mprotect, { 2, -1 } },
  { SYS_madvise, { 2, -1 } },   { SYS_mremap, { 3, -1 } },
  { SYS_openat, { 2, -1 } },    { SYS_newfstatat, { 3, -1 } },
  { SYS_prctl, { 0, -1 } },     { SYS_fcntl, { 1, -1 } },
  { SYS_ioctl, { 1, -1 } },     { SYS_rseq, { 2, -1 } },
  { SYS_prlimit64, { 1, -1 } },
};

static struct kind
kind_of (const struct entry *call)
{
  struct kind kind = { call->number, { -1, -1 }, { 0, 0 } };
  for (size_t i = 0; i < sizeof looked_at / sizeof looked_at[0]; ++i)
    if (looked_at[i].number == kind.number)
      for (int k = 0; k < 2; ++k)
        if ((kind.which[k] = looked_at[i].which[k]) >= 0)
          kind.value[k] = call->args[kind.which[k]];
  return kind;
}

static void
add (struct kind kind)
{
  for (size_t i = 0; i < count; ++i)
    if (memcmp (&kinds[i], &kind, sizeof kind) == 0)
      return;
  if (count < KINDS)
    kinds[count++] = kind;
}

static void
read_kinds (const char *path)
{
  FILE *file = fopen (path, "rb");
  if (file == NULL)
    return;
  count = fread (kinds, sizeof kinds[0], KINDS, file);
  fclose (file);
}

static int
write_kinds (const char *path)
{
  FILE *file = fopen (path, "wb");
  if (file == NULL || fwrite (kinds, sizeof kinds[0], count, file) != count
      || fclose (file) != 0)
    {
      perror (path);
      return 1;
    }
  return 0;
}

/* Record the calls of the traced children until the last child has ended.
   Return the exit status of the child FIRST.  */
static int
record (pid_t first)
{
  int status, result = 1, running = 0;
  pid_t pid;
  while ((pid = waitpid (-1, &status, __WALL)) > 0)
    {
      int signal = 0;
      if (WIFEXITED (status) || WIFSIGNALED (status))
        {
          if (pid == first)
            result = WIFEXITED (status) ? WEXITSTATUS (status) : 1;
          continue;
        }
      if (WSTOPSIG (status) == (SIGTRAP | 0x80))
        {
          struct entry call;
          if (ptrace (PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call) < 0)
            return 77;
          if (call.op == 1)
            add (kind_of (&call));
        }
      else if (status >> 16 == 0 && WSTOPSIG (status) != SIGSTOP)
        signal = WSTOPSIG (status);
      if (pid == first && !running++)
        ptrace (PTRACE_SETOPTIONS, pid, NULL,
                PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE
                    | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
                    | PTRACE_O_TRACEEXEC);
      ptrace (PTRACE_SYSCALL, pid, NULL, signal);
    }
  return result;
}

static int
record_command (const char *path, char **command)
{
  read_kinds (path);
  pid_t pid = fork ();
  if (pid == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit (77);
      raise (SIGSTOP);
      execvp (command[0], command);
      _exit (127);
    }
  int result = record (pid);
  return result != 0 ? result : write_kinds (path);
}

/* What a browser's sandbox allows for one argument of a call: only the bits of
   MASK, or one of COUNT values.  If the argument is REFUSED, the call fails
   with the error REFUSAL.  If the argument is NAMED, the next argument must be
   0.  For all other values, the sandbox kills the process or, if ERROR is not
   0, the call fails with ERROR.  */
struct rule
{
  int number, argument;
  uint32_t mask;
  size_t count;
  uint32_t value[8];
  int error;
  uint32_t refused;
  int refusal;
  uint32_t named;
};

#ifndef PR_SET_VMA
#  define PR_SET_VMA 0x53564d41 /* Linux 5.17.  */
#endif
#ifndef MAP_DROPPABLE
#  define MAP_DROPPABLE 0x08 /* Linux 6.11.  */
#endif
#ifndef MADV_GUARD_INSTALL
#  define MADV_GUARD_INSTALL 102 /* Linux 6.13.  */
#  define MADV_GUARD_REMOVE 103
#endif
#ifdef __aarch64__
#  define PROT_OF_MACHINE (0x10 | 0x20) /* PROT_BTI and PROT_MTE.  */
#else
#  define PROT_OF_MACHINE 0
#endif

/* In these sandboxes, openat fails, or a process outside the sandbox opens the
   files.  Here, the kernel opens the files, but only with the flags that the
   stock loader uses.  */
#define OPEN_ONLY                                    \
  {                                                  \
    .number = SYS_openat, .argument = 2, .count = 1, \
    .value                                           \
        = { O_RDONLY | O_CLOEXEC }                   \
  }

/* The sandbox of Chromium's renderers (sandbox/linux/seccomp-bpf-helpers and
   sandbox/policy/linux, as of November 2026).  Renderers may call mremap with
   any arguments.  */
static const struct rule chromium[] = {
  { .number = SYS_mmap,
    .argument = 3,
    .mask = MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK
            | MAP_NORESERVE | MAP_FIXED | MAP_DENYWRITE | MAP_LOCKED
            | MAP_DROPPABLE },
  { .number = SYS_mprotect,
    .argument = 2,
    .mask = PROT_READ | PROT_WRITE | PROT_EXEC | PROT_OF_MACHINE },
  { .number = SYS_madvise,
    .argument = 2,
    .count = 6,
    .value = { MADV_DONTNEED, MADV_WILLNEED, MADV_RANDOM, MADV_REMOVE,
               MADV_NORMAL, MADV_FREE },
    .error = EPERM },
  { .number = SYS_prctl,
    .count = 4,
    .value = { PR_GET_NAME, PR_SET_NAME, PR_GET_DUMPABLE, PR_SET_DUMPABLE },
    .refused = PR_SET_PTRACER,
    .refusal = EPERM,
    .named = PR_SET_VMA },
  OPEN_ONLY,
};

/* What all sandboxed processes of Firefox may do if Firefox is built without
   its own malloc (security/sandbox/linux/SandboxFilter.cpp, as of November
   2026).  Content processes may also call madvise with any arguments.  All
   processes may call mmap and mprotect with any arguments, so there are no
   rules for these calls.  */
static const struct rule firefox[] = {
  { .number = SYS_madvise,
    .argument = 2,
    .count = 6,
    .value = { MADV_DONTNEED, MADV_FREE, MADV_GUARD_INSTALL, MADV_GUARD_REMOVE,
               MADV_HUGEPAGE, MADV_NOHUGEPAGE },
    .refused = MADV_MERGEABLE,
    .refusal = EPERM },
  { .number = SYS_mremap, .argument = 3, .mask = MREMAP_MAYMOVE },
  { .number = SYS_prctl,
    .count = 4,
    .value = { PR_GET_SECCOMP, PR_SET_NAME, PR_SET_DUMPABLE, PR_SET_PTRACER },
    .refused = PR_CAPBSET_READ,
    .refusal = EINVAL,
    .named = PR_SET_VMA },
  OPEN_ONLY,
};

/* The instructions of a filter.  */
static struct sock_filter code[9 * KINDS + 1];

/* Install a filter with the COUNT rules at RULE.  The filter allows all calls
   for which there is no rule.  */
static int
install_rules (const struct rule *rule, size_t count)
{
  size_t n = 0;
  for (const struct rule *end = rule + count; rule < end; ++rule)
    {
      const uint32_t otherwise
          = (rule->error != 0 ? SECCOMP_RET_ERRNO | rule->error
                              : SECCOMP_RET_KILL_PROCESS);
      code[n++] = (struct sock_filter) FILTER_LOAD (nr);
      const size_t begin = n++;
      code[n++] = (struct sock_filter) FILTER_LOAD (args[rule->argument]);
      if (rule->count == 0)
        {
          code[n++] = (struct sock_filter) BPF_JUMP (
              BPF_JMP | BPF_JSET | BPF_K, ~rule->mask, 1, 0);
          code[n++] = (struct sock_filter) FILTER_RETURN (SECCOMP_RET_ALLOW);
        }
      for (size_t i = 0; i < rule->count; ++i)
        {
          code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                     rule->value[i], 0, 1);
          code[n++] = (struct sock_filter) FILTER_RETURN (SECCOMP_RET_ALLOW);
        }
      if (rule->refused != 0)
        {
          code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                     rule->refused, 0, 1);
          code[n++] = (struct sock_filter) FILTER_RETURN (SECCOMP_RET_ERRNO
                                                          | rule->refusal);
        }
      if (rule->named != 0)
        {
          code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                     rule->named, 0, 3);
          code[n++]
              = (struct sock_filter) FILTER_LOAD (args[rule->argument + 1]);
          code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                     0, 0, 1);
          code[n++] = (struct sock_filter) FILTER_RETURN (SECCOMP_RET_ALLOW);
        }
      code[n++] = (struct sock_filter) FILTER_RETURN (otherwise);
      code[begin] = (struct sock_filter) BPF_JUMP (
          BPF_JMP | BPF_JEQ | BPF_K, rule->number, 0, n - begin - 1);
    }
  code[n++] = (struct sock_filter) FILTER_RETURN (SECCOMP_RET_ALLOW);
  return filter_install (code, n, 0);
}

/* The name of a file with kinds of calls, or the name of a browser.  */
static const char *what;

/* Install a filter that allows the kinds of calls that were read from the
   list, or the filter of the browser.  */
static int
install (void)
{
  if (strcmp (what, "chromium") == 0)
    return install_rules (chromium, sizeof chromium / sizeof chromium[0]);
  if (strcmp (what, "firefox") == 0)
    return install_rules (firefox, sizeof firefox / sizeof firefox[0]);

  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    {
      const struct kind *kind = &kinds[i];
      /* The code for a kind is seven instructions long.  */
      const size_t end = n + 7;
      code[n++] = (struct sock_filter) FILTER_LOAD (nr);
      code[n] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                               kind->number, 0, end - n - 1);
      ++n;
      for (int k = 0; k < 2; ++k)
        {
          bool any = kind->which[k] < 0;
          code[n++] = (struct sock_filter) FILTER_LOAD (
              args[any ? 0 : kind->which[k]]);
          code[n] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                   kind->value[k], 0,
                                                   any ? 0 : end - n - 1);
          ++n;
        }
      code[n++] = (struct sock_filter) FILTER_RETURN (SECCOMP_RET_ALLOW);
    }
  code[n++] = (struct sock_filter) FILTER_RETURN (SECCOMP_RET_KILL_PROCESS);
  return filter_install (code, n, 0);
}

/* Use memory as a thread with an arena of its own does.  */
static void
use_memory (void)
{
  char *block[300];
  for (size_t i = 0; i < 300; ++i)
    memset (block[i] = malloc (9999), 1, 9999);
  for (size_t i = 300; i-- > 0;)
    free (block[i]);
  char *large = malloc (400000);
  large[0] = 1;
  large = realloc (large, 900000);
  free (large);
}

static const char *library, *name;
static int wrong;

static void
use_library (void)
{
  void *handle = dlopen (library, RTLD_NOW);
  if (handle == NULL)
    {
      puts (dlerror ());
      ++wrong;
      return;
    }
  wrong += text_call (handle, name);
  dlclose (handle);
}

static void *
work (void *installs)
{
  use_memory ();
  if (installs != NULL && install () != 0)
    exit (77);
  if (library != NULL)
    use_library ();
  return NULL;
}

static int
use (const char *who)
{
  pthread_t thread;
  const char *by_main = who != NULL && *who == 'm' ? who : NULL;
  const char *by_thread = who != NULL && *who == 't' ? who : NULL;
  /* First work in this thread alone, then in another thread while this thread
     waits.  */
  work ((void *) by_main);
  pthread_create (&thread, NULL, work, (void *) by_thread);
  pthread_join (thread, NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      work (NULL);
      _exit (wrong);
    }
  int status = 1;
  waitpid (pid, &status, 0);
  wrong += status != 0;
  printf ("%d wrong\n", wrong);
  return wrong != 0;
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  if (strcmp (argv[1], "record") == 0 && argc > 3)
    return record_command (argv[2], argv + 3);
  what = argv[2];
  if (strcmp (what, "chromium") != 0 && strcmp (what, "firefox") != 0)
    read_kinds (what);
  if (strcmp (argv[1], "use") == 0)
    {
      library = argc > 4 ? argv[3] : NULL;
      name = argc > 4 ? argv[4] : NULL;
      return use (argc > 5 ? argv[5] : NULL);
    }
  if (install () != 0)
    return 77;
  execvp (argv[3], argv + 3);
  return 127;
}
