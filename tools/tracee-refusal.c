/* Why a process cannot, or must not, be traced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee-refusal.h"
#include "filter.h"
#include "machine.h"
#include "process.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char text[320];

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* That PID is traced already, by another; NULL if it is not.  */
static const char *
traced_already (pid_t pid)
{
  struct process tracer;
  long by = process_number (pid, "TracerPid:");
  if (by <= 0 || by == getpid ())
    return NULL;
  bool known = process_read (by, &tracer);
  snprintf (text, sizeof text, "it is traced already, by %ld%s%s%s", by,
            known ? " (" : "", known ? tracer.name : "", known ? ")" : "");
  return text;
}

/* That PID runs a program for another machine, or for 32 bits; NULL if it does
   not, as far as can be told.  */
static const char *
foreign (pid_t pid)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/exe", (int)pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  const char *problem = program_foreign (fd);
  close (fd);
  return problem;
}

bool
tracee_is_filtered (pid_t pid, pid_t tid)
{
  char path[96];
  snprintf (path, sizeof path, "/proc/%d/task/%d/status", (int)pid, (int)tid);
  return machine_field (path, "Seccomp:") > 0;
}

const char *
tracee_dumping (pid_t pid)
{
  /* What stops a thread interrupts its writing, to a pipe at least.  */
  return process_number (pid, "CoreDumping:") > 0
             ? "it is dumping core, and ends then"
             : NULL;
}

const char *
tracee_refusal (pid_t pid)
{
  struct process process;
  if (!process_read (pid, &process))
    return "there is no such process";
  if (process.ended || process.kernel)
    return process_problem (&process, 0);
  const char *problem = tracee_dumping (pid);
  if (problem == NULL)
    problem = traced_already (pid);
  if (problem == NULL)
    problem = foreign (pid);
  if (problem == NULL && tracee_is_filtered (pid, pid)
      && !filter_readable ())
    problem = FILTER_UNREADABLE;
  return problem;
}

const char *
tracee_not_permitted (pid_t pid, int error)
{
  struct process process;
  if (error == ESRCH || !process_read (pid, &process))
    return "it has ended";
  const char *problem = traced_already (pid);
  if (problem != NULL)
    return problem;
  if (error != EPERM && error != EACCES)
    {
      snprintf (text, sizeof text, "it cannot be traced: %s",
                strerror (error));
      return text;
    }
  long scope = machine_number (YAMA);
  if (scope == 3)
    return "nobody may trace anything until the machine is started again"
           " (kernel.yama.ptrace_scope = 3)";
  if (scope == 2)
    return "only root may trace (kernel.yama.ptrace_scope = 2)";
  if (geteuid () != 0 && process.uid != geteuid ())
    return process_problem (&process, error);
  if (scope == 1)
    return "only who has started it may trace it, and root"
           " (kernel.yama.ptrace_scope = 1)";
  return "tracing is not permitted here (a container, a filter, a security"
         " module, or it has changed its identity)";
}
