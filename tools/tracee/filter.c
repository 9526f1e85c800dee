/* The filter of a thread's system calls (seccomp): whether it allows the
   command's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/filter.h"
#include "tracee/bpf.h"
#include "tracee/thread.h"
#include "host/machine.h"
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* Linux 4.4, from <linux/ptrace.h>, which cannot be included beside
   <sys/ptrace.h>.  */
#define GET_FILTER ((enum __ptrace_request) 0x420c)

/* Constants that older headers lack.  */
#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25
#endif
#ifndef MREMAP_DONTUNMAP
#  define MREMAP_DONTUNMAP 4
#endif
#ifndef MAP_FIXED_NOREPLACE
#  define MAP_FIXED_NOREPLACE 0x100000
#endif

#ifdef __aarch64__
#  define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#  define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

enum
{
  READ_WRITE = PROT_READ | PROT_WRITE,
  PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS,
  NEW = PRIVATE | MAP_FIXED_NOREPLACE,
  MOVE = MREMAP_MAYMOVE | MREMAP_FIXED,
  FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
  PAGE = 4096,
};

/* The calls that the command may have a thread make.  The filter is asked with
   addresses 0 and the length of a page: no filter known decides by them.  MAY:
   the call may fail, and the command can do without it.  */
static const struct ours
{
  const char *name;
  bool may;
  long number;
  uint64_t args[6];
} our_calls[] = {
  { "mmap", false, SYS_mmap, { 0, PAGE, READ_WRITE, NEW, -1, 0 } },
  { "mmap", true, SYS_mmap, { 0, PAGE, 0, NEW | MAP_NORESERVE, -1, 0 } },
  { "mmap",
    false,
    SYS_mmap,
    { 0, PAGE, 0, PRIVATE | MAP_NORESERVE | MAP_FIXED, -1, 0 } },
  { "mmap of executable files",
    false,
    SYS_mmap,
    { 0, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, 3,
      0 } },
  { "munmap", false, SYS_munmap, { 0, PAGE } },
  { "mremap", false, SYS_mremap, { 0, PAGE, PAGE, MOVE, 0, 0 } },
  { "mremap",
    true,
    SYS_mremap,
    { 0, PAGE, PAGE, MOVE | MREMAP_DONTUNMAP, 0, 0 } },
  { "mremap", true, SYS_mremap, { 0, PAGE, 2 * PAGE, 0, 0, 0 } },
  { "rt_sigprocmask", false, SYS_rt_sigprocmask, { 2, 0, 0, 8, 0, 0 } },
#ifdef __aarch64__
  { "rt_sigreturn", false, SYS_rt_sigreturn, { 0 } },
#endif
  { "openat", true, SYS_openat, { AT_FDCWD, 0, FLAGS, 0, 0, 0 } },
  { "close", false, SYS_close, { 3 } },
  { "mprotect of what becomes executable",
    true,
    SYS_mprotect,
    { 0, PAGE, PROT_READ | PROT_EXEC } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_HUGEPAGE } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_DONTFORK } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_DOFORK } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_RANDOM } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_DONTDUMP } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_COLLAPSE } },
  { "prctl", true, SYS_prctl, { PR_SET_THP_DISABLE, 0 } },
  { "prctl", false, SYS_prctl, { PR_SET_THP_DISABLE, 1 } },
  { "mlock", true, SYS_mlock, { 0, PAGE } },
};

/* Whether the command makes CALL in process PID: it makes some only to
   processes with huge pages switched off, or with locked memory.  */
static bool
is_made (pid_t pid, const struct ours *call)
{
  switch (call->number)
    {
    case SYS_prctl:
      return process_number (pid, "THP_enabled:") == 0;
    case SYS_mlock:
      return process_number (pid, "VmLck:") > 0;
    default:
      return true;
    }
}

bool
filter_is_on (pid_t pid, pid_t tid)
{
  char path[96];
  snprintf (path, sizeof path, "/proc/%d/task/%d/status", (int) pid,
            (int) tid);
  return machine_field (path, "Seccomp:") > 0;
}

bool
filter_readable (void)
{
  char line[256];
  unsigned long long capabilities = 0;
  FILE *stream = fopen ("/proc/self/status", "re");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL
         && sscanf (line, "CapEff: %llx", &capabilities) == 0)
    continue;
  if (stream != NULL)
    fclose (stream);
  return ((capabilities >> CAP_SYS_ADMIN & 1) != 0
          && process_number (getpid (), "Seccomp:") == 0);
}

/* Return what the filters of thread TID, which is stopped and has some, say of
   CALL: the action that the kernel obeys.  An error that is 0 would fake a
   success, and counts as SECCOMP_RET_KILL_PROCESS, as do filters that cannot
   be read.  */
static uint32_t
ask (pid_t tid, const struct seccomp_data *call)
{
  static struct sock_filter code[BPF_MAXINSNS];
  uint32_t strongest = SECCOMP_RET_ALLOW;
  long count;
  for (long i = 0; (count = ptrace (GET_FILTER, tid, (void *) i, NULL)) > 0;
       ++i)
    {
      if (count > BPF_MAXINSNS
          || ptrace (GET_FILTER, tid, (void *) i, code) != count)
        return SECCOMP_RET_KILL_PROCESS;
      uint32_t result = bpf_run (code, count, call);
      if (result == SECCOMP_RET_ERRNO)
        return SECCOMP_RET_KILL_PROCESS;
      /* Actions are ordered as signed numbers, SECCOMP_RET_KILL_PROCESS
         first.  */
      if ((int32_t) (result & SECCOMP_RET_ACTION_FULL) < (int32_t) strongest)
        strongest = result & SECCOMP_RET_ACTION_FULL;
    }
  return errno == ENOENT ? strongest : SECCOMP_RET_KILL_PROCESS;
}

/* Whether the filters of thread TID let the system call NUMBER with ARGS, made
   from PC, through, or with MAY have it fail.  */
static bool
lets_through (pid_t tid, long number, const uint64_t args[6], uintptr_t pc,
              bool may)
{
  struct seccomp_data call
      = { .nr = number, .arch = ARCHITECTURE, .instruction_pointer = pc };
  for (int i = 0; args != NULL && i < 6; ++i)
    call.args[i] = args[i];
  const uint32_t action = ask (tid, &call);
  return (action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG
          || (may && action == SECCOMP_RET_ERRNO));
}

const char *
filter_refusal (pid_t pid, pid_t tid, uintptr_t pc)
{
  static char text[160];
  if (!filter_is_on (pid, tid))
    return NULL;
  if (ptrace (GET_FILTER, tid, NULL, NULL) <= 0)
    return FILTER_UNREADABLE;
  for (size_t i = 0; i < sizeof our_calls / sizeof *our_calls; ++i)
    {
      const struct ours *call = &our_calls[i];
      if (lets_through (tid, call->number, call->args, pc, call->may)
          || !is_made (pid, call))
        continue;
      snprintf (text, sizeof text,
                "its filter of system calls (seccomp) does not allow %s,"
                " which we need",
                call->name);
      return text;
    }
  return NULL;
}

void
filter_spare (pid_t tid)
{
  struct tracee_registers registers;
  if (thread_get_registers (tid, &registers) && tracee_begin_again (&registers)
      && filter_is_on (tid, tid)
      && (ptrace (GET_FILTER, tid, NULL, NULL) <= 0
          || !lets_through (tid, SYS_restart_syscall, NULL, 0, false)))
    thread_set_registers (tid, &registers);
}
