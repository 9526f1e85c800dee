/* The kernel's performance events, and the reasons why they may not be
   available.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/perf.h"
#include "host/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int
perf_open (struct perf_event_attr *attr, pid_t tid, int cpu)
{
  return syscall (SYS_perf_event_open, attr, tid, cpu, -1,
                  PERF_FLAG_FD_CLOEXEC);
}

bool
perf_explain (int error, struct problem *problem)
{
  const long level = machine_number ("/proc/sys/kernel/perf_event_paranoid");
  if (error == EMFILE)
    return problem_set (problem,
                        "the process has too many threads: hugetext needs a "
                        "file descriptor for each thread and processor; "
                        "raise the limit (ulimit -n)");
  if (error == EACCES && level > 2)
    return problem_set (
        problem,
        "kernel.perf_event_paranoid is %ld; try as root, or set it to 2",
        level);
  if (error == EACCES || error == EPERM)
    return problem_set (
        problem,
        "a seccomp filter, a security module or the limit of locked memory "
        "(kernel.perf_event_mlock_kb) forbids perf events; try as root, or "
        "outside of the container or service");
  return problem_set (problem, "perf_event_open: %s%s", strerror (error),
                      error == ENOENT || error == EOPNOTSUPP || error == ENODEV
                          ? ": most virtual machines have no counters"
                          : "");
}
