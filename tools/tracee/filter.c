/* Seccomp: find out whether a thread's filters allow the system calls that
   the command needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/filter.h"
#include "tracee/bpf.h"
#include "host/process.h"
#include "tracee/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number after "Seccomp:" in /proc/PID/status.  */
enum mode
{
  MODE_NONE,
  MODE_STRICT, /* The process may call read, write, _exit and sigreturn
                  only.  */
  MODE_FILTER,
};

/* Constants of seccomp that the headers of an older kernel or glibc may
   lack.  */
#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25
#endif
#ifndef MREMAP_DONTUNMAP
#  define MREMAP_DONTUNMAP 4
#endif

#ifdef __aarch64__
#  define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#  define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

enum
{
  PAGE = 4096,
  READ_WRITE = PROT_READ | PROT_WRITE,
  PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS,
  RESERVE = PRIVATE | MAP_NORESERVE,
  NEW = MAP_FIXED_NOREPLACE,
  MOVE = MREMAP_MAYMOVE | MREMAP_FIXED,
};

/* All system calls that the command may make a thread of the process execute.
   In this table addresses are 0 and lengths are a page or two, because no
   known filter examines addresses or lengths.  MAY is true if the command can
   work without the call, so that the filters may make the call fail with an
   error number.  */
static const struct ours
{
  const char *name;
  bool may;
  long number;
  uint64_t args[6];
} our_calls[] = {
  { "mmap", false, SYS_mmap, { 0, PAGE, READ_WRITE, PRIVATE, -1, 0 } },
  { "mmap", false, SYS_mmap, { 0, PAGE, READ_WRITE, PRIVATE | NEW, -1, 0 } },
  { "mmap", true, SYS_mmap, { 0, PAGE, PROT_NONE, RESERVE | NEW, -1, 0 } },
  { "mmap",
    false,
    SYS_mmap,
    { 0, PAGE, PROT_NONE, RESERVE | MAP_FIXED, -1, 0 } },
  { "mmap of executable files",
    false,
    SYS_mmap,
    { 0, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | NEW, 3, 0 } },
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
  { "openat", true, SYS_openat, { AT_FDCWD, 0, FILTER_OPEN_FLAGS, 0, 0, 0 } },
  { "close", false, SYS_close, { 3 } },
  { "mprotect that makes memory executable",
    true,
    SYS_mprotect,
    { 0, PAGE, PROT_READ | PROT_EXEC } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_HUGEPAGE } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_NOHUGEPAGE } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_DONTFORK } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_DOFORK } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_RANDOM } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_DONTDUMP } },
  { "madvise", true, SYS_madvise, { 0, PAGE, MADV_COLLAPSE } },
  { "prctl (PR_SET_THP_DISABLE)", true, SYS_prctl, { PR_SET_THP_DISABLE, 0 } },
  { "prctl (PR_SET_THP_DISABLE)",
    false,
    SYS_prctl,
    { PR_SET_THP_DISABLE, 1 } },
  { "msync", true, SYS_msync, { 0, PAGE, MS_INVALIDATE } },
  { "mlock", true, SYS_mlock, { 0, PAGE } },
  { "munlock", true, SYS_munlock, { 0, PAGE } },
  { "mprotect", true, SYS_mprotect, { 0, PAGE, READ_WRITE } },
};

enum
{
  OUR_CALLS = sizeof our_calls / sizeof *our_calls,
};

/* Return true if the command will make CALL in process PID.  The command calls
   prctl only in processes that have switched huge pages off, and mlock only in
   processes with locked memory.  The command calls msync and munlock, and
   makes memory writable, only if the filter allows these calls.  */
static bool
is_made (pid_t pid, const struct ours *call)
{
  switch (call->number)
    {
    case SYS_prctl:
      return process_thp_disabled (pid);
    case SYS_mlock:
      return process_number (pid, "VmLck:") > 0;
    case SYS_msync:
    case SYS_munlock:
      return false;
    case SYS_mprotect:
      return call->args[2] != READ_WRITE;
    default:
      return true;
    }
}

/* Return true if this process probably has the right to read the filters of
   other processes.  */
static bool
may_read_filters (void)
{
  struct __user_cap_header_struct header
      = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct own[_LINUX_CAPABILITY_U32S_3];
  return (process_number (0, "Seccomp:") == 0
          && syscall (__NR_capget, &header, own) == 0
          && (own[0].effective & 1U << CAP_SYS_ADMIN) != 0);
}

/* Set PROBLEM to the reason why hugetext cannot work in a process with
   MODE_STRICT.  Return false.  */
static bool
refuse_strict (struct problem *problem)
{
  return problem_set (
      problem, "the process may make only four system calls (seccomp's strict "
               "mode)");
}

bool
filter_check_mode (pid_t tid, struct problem *problem)
{
  if (process_number (tid, "Seccomp:") == MODE_STRICT)
    return refuse_strict (problem);
  return !process_is_filtered (tid) || may_read_filters ()
         || problem_set (problem, FILTER_UNREADABLE);
}

/* Return the seccomp mode of the stopped thread TID.  */
static enum mode
mode_of (pid_t tid)
{
  /* PTRACE_SECCOMP_GET_FILTER fails for a thread without a filter, for a
     caller without the right to read filters, and on a kernel built without
     the request.  */
  if (ptrace (PTRACE_SECCOMP_GET_FILTER, tid, NULL, NULL) >= 0)
    return MODE_FILTER;
  long mode = process_number (tid, "Seccomp:");
  return mode <= 0 ? MODE_NONE : mode;
}

/* Run all seccomp filters of the stopped thread TID on each of the COUNT
   CALLS.  For each call, set the element of VALUES to the result that has
   precedence in the kernel.  Return false if the filters cannot be read.  */
static bool
tracee_filter_run_filters (pid_t tid, const struct seccomp_data calls[],
                           uint32_t values[], size_t count)
{
  static struct sock_filter code[BPF_MAXINSNS];
  long length;
  for (size_t i = 0; i < count; ++i)
    values[i] = SECCOMP_RET_ALLOW;
  for (long number = 0; (length = ptrace (PTRACE_SECCOMP_GET_FILTER, tid,
                                          (void *) number, NULL))
                        > 0;
       ++number)
    {
      if (length > BPF_MAXINSNS
          || ptrace (PTRACE_SECCOMP_GET_FILTER, tid, (void *) number, code)
                 != length)
        return false;
      for (size_t i = 0; i < count; ++i)
        values[i]
            = bpf_stronger (values[i], bpf_run (code, length, &calls[i]));
    }
  return errno == ENOENT;
}

/* VALUE is the result of the filters for a system call.  Return true if VALUE
   allows the call.  If MAY is true, also return true if VALUE makes the call
   fail with an error number.  */
static bool
lets_through (uint32_t value, bool may)
{
  switch (value & SECCOMP_RET_ACTION_FULL)
    {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
      return true;
    case SECCOMP_RET_ERRNO:
      /* If a filter skips a call and returns error number 0, the call seems to
         have succeeded.  */
      return may && (value & SECCOMP_RET_DATA) != 0;
    default:
      return false;
    }
}

_Static_assert(OUR_CALLS <= 64,
               "a set of hugetext's system calls fits in 64 bits");

bool
filter_refuses (uint64_t refused, long number, uint64_t advice)
{
  for (size_t i = 0; i < OUR_CALLS; ++i)
    if (our_calls[i].number == number && our_calls[i].args[2] == advice)
      return (refused >> i & 1) != 0;
  return false;
}

bool
filter_check (pid_t pid, pid_t tid, uintptr_t pc, uint64_t *refused,
              struct problem *problem)
{
  struct seccomp_data calls[OUR_CALLS];
  uint32_t values[OUR_CALLS];
  const enum mode mode = mode_of (tid);
  *refused = 0;
  if (mode == MODE_NONE)
    return true;
  if (mode == MODE_STRICT)
    return refuse_strict (problem);
  for (size_t i = 0; i < OUR_CALLS; ++i)
    {
      calls[i] = (struct seccomp_data){ .nr = our_calls[i].number,
                                        .arch = ARCHITECTURE,
                                        .instruction_pointer = pc };
      memcpy (calls[i].args, our_calls[i].args, sizeof calls[i].args);
    }
  if (!tracee_filter_run_filters (tid, calls, values, OUR_CALLS))
    return problem_set (problem, FILTER_UNREADABLE);
  for (size_t i = 0; i < OUR_CALLS; ++i)
    if (values[i] == BPF_UNKNOWN)
      return problem_set (
          problem,
          "the process has a seccomp filter with unknown instructions");
    else if (!lets_through (values[i], our_calls[i].may)
             && is_made (pid, &our_calls[i]))
      return problem_set (
          problem,
          "the seccomp filter of the process does not allow %s, which "
          "hugetext needs",
          our_calls[i].name);
    else if (!lets_through (values[i], false))
      *refused |= UINT64_C (1) << i;
  return true;
}

/* The kernel permits PTRACE_O_SUSPEND_SECCOMP only to those who can read
   filters.  */
void
filter_suspend (pid_t tid)
{
  ptrace (PTRACE_SETOPTIONS, tid, NULL,
          (void *) (PTRACE_O_TRACESYSGOOD | PTRACE_O_SUSPEND_SECCOMP));
}

/* Return true if the filters of the stopped thread TID allow restart_syscall,
   the call with which the kernel continues some interrupted system calls.  */
static bool
allows_restart (pid_t tid)
{
  const struct seccomp_data call
      = { .nr = SYS_restart_syscall, .arch = ARCHITECTURE };
  uint32_t value;
  return (mode_of (tid) == MODE_NONE
          || (tracee_filter_run_filters (tid, &call, &value, 1)
              && lets_through (value, false)));
}

void
filter_spare (pid_t tid)
{
  struct tracee_registers registers;
  if (thread_get_registers (tid, &registers) && tracee_begin_again (&registers)
      && !allows_restart (tid))
    thread_set_registers (tid, &registers);
}
