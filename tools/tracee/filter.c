/* The filter of a thread's system calls (seccomp): whether it allows the
   command's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/filter.h"
#include "tracee/bpf.h"
#include "host/process.h"
#include "tracee/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* Linux 4.4, from <linux/ptrace.h>, which cannot be included beside
   <sys/ptrace.h>.  */
#define GET_FILTER ((enum __ptrace_request) 0x420c)

/* The program of one filter.  */
struct filter
{
  struct sock_filter *code;
  size_t count;
};

/* All filters of a thread, the oldest one first.  */
struct filters
{
  struct filter *list;
  size_t count;
};

/* The number after "Seccomp:" in /proc/PID/status.  */
enum mode
{
  MODE_NONE,
  MODE_STRICT, /* read, write, _exit and sigreturn.  */
  MODE_FILTER,
};

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

/* The calls that the command may have a thread make.  The filter is asked with
   addresses 0 and the length of a page: no filter known decides by them.  MAY:
   the call may fail, and the command can do without it.  */
static const struct ours
{
  const char *name;
  bool may;
  const char *field; /* The call is only made if this field of /proc/PID/status
                        has this value:  */
  bool nonzero;
  long number;
  uint64_t args[6];
} our_calls[] = {
  { "mmap",
    false,
    NULL,
    false,
    SYS_mmap,
    { 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 } },
  { "mmap",
    false,
    NULL,
    false,
    SYS_mmap,
    { 0, 4096, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0 } },
  { "mmap",
    true,
    NULL,
    false,
    SYS_mmap,
    { 0, 4096, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
      0 } },
  { "mmap",
    false,
    NULL,
    false,
    SYS_mmap,
    { 0, 4096, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0 } },
  { "mmap of executable files",
    false,
    NULL,
    false,
    SYS_mmap,
    { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, 3,
      0 } },
  { "munmap", false, NULL, false, SYS_munmap, { 0, 4096 } },
  { "mremap",
    false,
    NULL,
    false,
    SYS_mremap,
    { 0, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, 0, 0 } },
  { "mremap",
    true,
    NULL,
    false,
    SYS_mremap,
    { 0, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, 0,
      0 } },
  { "mremap", true, NULL, false, SYS_mremap, { 0, 4096, 8192, 0, 0, 0 } },
  { "rt_sigprocmask",
    false,
    NULL,
    false,
    SYS_rt_sigprocmask,
    { 2, 0, 0, 8, 0, 0 } },
#ifdef __aarch64__
  { "rt_sigreturn", false, NULL, false, SYS_rt_sigreturn, { 0 } },
#endif
  { "openat",
    true,
    NULL,
    false,
    SYS_openat,
    { AT_FDCWD, 0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0 } },
  { "close", false, NULL, false, SYS_close, { 3 } },
  { "mprotect of what becomes executable",
    true,
    NULL,
    false,
    SYS_mprotect,
    { 0, 4096, PROT_READ | PROT_EXEC } },
  { "madvise", true, NULL, false, SYS_madvise, { 0, 4096, MADV_HUGEPAGE } },
  { "madvise", true, NULL, false, SYS_madvise, { 0, 4096, MADV_DONTFORK } },
  { "madvise", true, NULL, false, SYS_madvise, { 0, 4096, MADV_DOFORK } },
  { "madvise", true, NULL, false, SYS_madvise, { 0, 4096, MADV_RANDOM } },
  { "madvise", true, NULL, false, SYS_madvise, { 0, 4096, MADV_DONTDUMP } },
  { "madvise", true, NULL, false, SYS_madvise, { 0, 4096, MADV_COLLAPSE } },
  { "prctl (PR_SET_THP_DISABLE)",
    true,
    "THP_enabled:",
    false,
    SYS_prctl,
    { PR_SET_THP_DISABLE, 0 } },
  { "prctl (PR_SET_THP_DISABLE)",
    false,
    "THP_enabled:",
    false,
    SYS_prctl,
    { PR_SET_THP_DISABLE, 1 } },
  { "mlock", true, "VmLck:", true, SYS_mlock, { 0, 4096 } },
};

bool
filter_readable (void)
{
  enum
  {
    CAP_SYS_ADMIN_BIT = 21, /* CAP_SYS_ADMIN of <linux/capability.h>.  */
  };
  char line[256];
  FILE *stream = fopen ("/proc/self/status", "re");
  unsigned long long capabilities = 0;
  while (stream != NULL && capabilities == 0
         && fgets (line, sizeof line, stream) != NULL)
    sscanf (line, "CapEff: %llx", &capabilities);
  if (stream != NULL)
    fclose (stream);
  return ((capabilities >> CAP_SYS_ADMIN_BIT & 1) != 0
          && process_number (getpid (), "Seccomp:") == 0);
}

/* Return the mode of filters of thread TID, which is stopped.  */
static enum mode
mode_of (pid_t tid)
{
  /* The kernel returns an error to a caller without the right, for threads
     without filters, and always if it is built without this request.  */
  if (ptrace (GET_FILTER, tid, NULL, NULL) >= 0)
    return MODE_FILTER;
  long mode = process_number (tid, "Seccomp:");
  return mode <= 0 ? MODE_NONE : mode;
}

static void
free_filters (struct filters *filters)
{
  for (size_t i = 0; i < filters->count; ++i)
    free (filters->list[i].code);
  free (filters->list);
  *filters = (struct filters){ NULL, 0 };
}

/* Read the next of FILTERS of thread TID.  Return 1, 0 if there is none, -1 if
   that fails.  */
static int
read_next (struct filters *filters, pid_t tid)
{
  void *number = (void *) filters->count;
  long count = ptrace (GET_FILTER, tid, number, NULL);
  if (count < 0)
    return errno == ENOENT && filters->count > 0 ? 0 : -1;
  struct filter *list
      = reallocarray (filters->list, filters->count + 1, sizeof *list);
  if (list == NULL)
    return -1;
  filters->list = list;
  struct filter *filter = &list[filters->count];
  filter->count = count;
  filter->code = calloc (count + 1, sizeof *filter->code);
  if (filter->code == NULL)
    return -1;
  ++filters->count;
  return ptrace (GET_FILTER, tid, number, filter->code) == count ? 1 : -1;
}

/* Read all FILTERS of thread TID.  False if that fails.  */
static bool
read_filters (struct filters *filters, pid_t tid)
{
  int got;
  *filters = (struct filters){ NULL, 0 };
  do
    got = read_next (filters, tid);
  while (got > 0);
  if (got < 0)
    free_filters (filters);
  return got == 0;
}

/* Return the value of FILTERS for CALL.  */
static uint32_t
ask (const struct filters *filters, const struct seccomp_data *call)
{
  uint32_t all = SECCOMP_RET_ALLOW, one;
  for (size_t i = 0; i < filters->count; ++i)
    {
      if (!bpf_run (filters->list[i].code, filters->list[i].count, call, &one))
        one = SECCOMP_RET_KILL_PROCESS;
      all = bpf_stronger (all, one);
    }
  return all;
}

/* Whether FILTERS let system call NUMBER with ARGS, made from PC, through, or
   with MAY have it fail.  */
static bool
let_through (const struct filters *filters, long number,
             const uint64_t args[6], uintptr_t pc, bool may)
{
  struct seccomp_data call = { .nr = number,
#ifdef __aarch64__
                               .arch = AUDIT_ARCH_AARCH64,
#else
                               .arch = AUDIT_ARCH_X86_64,
#endif
                               .instruction_pointer = pc };
  for (int i = 0; args != NULL && i < 6; ++i)
    call.args[i] = args[i];
  uint32_t result = ask (filters, &call);
  switch (result & SECCOMP_RET_ACTION_FULL)
    {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
      return true;
    case SECCOMP_RET_ERRNO:
      /* A filter that returns error 0 would fake a success.  */
      return may && (result & SECCOMP_RET_DATA) != 0;
    default:
      return false;
    }
}

/* Whether the command may make CALL in process PID.  */
static bool
is_made (pid_t pid, const struct ours *call)
{
  long value = call->field != NULL ? process_number (pid, call->field) : 0;
  return call->field == NULL || (value >= 0 && (value > 0) == call->nonzero);
}

const char *
filter_refusal (pid_t pid, pid_t tid, uintptr_t pc)
{
  static char text[160];
  struct filters filters;
  const char *problem = NULL;
  const enum mode mode = mode_of (tid);
  if (mode == MODE_NONE)
    return NULL;
  if (mode == MODE_STRICT)
    return "it may make four system calls only (seccomp's strict mode)";
  if (!read_filters (&filters, tid))
    return FILTER_UNREADABLE;
  for (size_t i = 0;
       problem == NULL && i < sizeof our_calls / sizeof *our_calls; ++i)
    {
      const struct ours *call = &our_calls[i];
      if (!let_through (&filters, call->number, call->args, pc, call->may)
          && is_made (pid, call))
        {
          snprintf (text, sizeof text,
                    "its filter of system calls (seccomp) does not allow %s,"
                    " which we need",
                    call->name);
          problem = text;
        }
    }
  free_filters (&filters);
  return problem;
}

/* Whether the filter of thread TID, which is stopped, allows restart_syscall,
   by which the kernel goes on with some interrupted calls.  */
static bool
allows_restart (pid_t tid)
{
  struct filters filters;
  if (mode_of (tid) == MODE_NONE)
    return true;
  if (!read_filters (&filters, tid))
    return false;
  bool allowed = let_through (&filters, SYS_restart_syscall, NULL, 0, false);
  free_filters (&filters);
  return allowed;
}

void
filter_spare (pid_t tid)
{
  struct tracee_registers registers;
  if (thread_get_registers (tid, &registers) && tracee_begin_again (&registers)
      && !allows_restart (tid))
    thread_set_registers (tid, &registers);
}
