/* Counters of the processor, by the kernel's names.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/measure.h"
#include "host/machine.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct
{
  const char *name;
  uint32_t type;
  uint64_t config;
  uint64_t stand_in; /* A software event in its place, for tests.  */
} events[COUNTERS] = {
  [COUNTER_INSTRUCTIONS]
  = { "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
      PERF_COUNT_SW_TASK_CLOCK },
  [COUNTER_CYCLES] = { "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
                       PERF_COUNT_SW_TASK_CLOCK },
  [COUNTER_ITLB]
  = { "misses of the instruction TLB", PERF_TYPE_HW_CACHE,
      PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_OP_READ << 8
          | PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
      PERF_COUNT_SW_PAGE_FAULTS },
};

static int
open_event (const struct counter_set *set, enum counter counter, pid_t pid)
{
  struct perf_event_attr attr = {
    .size = sizeof attr,
    .type = set->stand_in ? PERF_TYPE_SOFTWARE : events[counter].type,
    .config
    = set->stand_in ? events[counter].stand_in : events[counter].config,
    .disabled = 1,
    .enable_on_exec = 1,
    .inherit = 1,
    .exclude_kernel = 1,
    .exclude_hv = 1,
    .read_format
    = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
  };
  return syscall (SYS_perf_event_open, &attr, pid, -1, -1,
                  PERF_FLAG_FD_CLOEXEC);
}

/* Note in SET why perf_event_open failed with ERROR.  */
static void
explain (struct counter_set *set, int error)
{
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    snprintf (set->problem, sizeof set->problem,
              "this machine has no counters, as most virtual ones have none");
  else if (error == EACCES || error == EPERM)
    snprintf (set->problem, sizeof set->problem,
              "kernel.perf_event_paranoid is %ld; as root, or with"
              " CAP_PERFMON",
              machine_number ("/proc/sys/kernel/perf_event_paranoid"));
  else
    snprintf (set->problem, sizeof set->problem, "perf_event_open: %s",
              strerror (error));
}

void
counters_find (struct counter_set *set, bool stand_in)
{
  *set = (struct counter_set){ .stand_in = stand_in };
  if (machine_field ("/proc/self/status", "Seccomp:") > 0)
    {
      /* A filter may kill for the attempt.  */
      snprintf (set->problem, sizeof set->problem,
                "a filter (seccomp) of this process may not allow it");
      return;
    }
  for (enum counter i = 0; i < COUNTERS; ++i)
    {
      int fd = open_event (set, i, 0);
      set->has[i] = fd >= 0;
      if (fd >= 0)
        close (fd);
      else if (i == COUNTER_INSTRUCTIONS)
        {
          /* Without these the others mean nothing.  */
          explain (set, errno);
          return;
        }
      else
        snprintf (set->problem, sizeof set->problem,
                  "this CPU, or the kernel, does not count %s",
                  events[i].name);
    }
}

void
counters_open (struct counters *counters, const struct counter_set *set,
               pid_t pid)
{
  for (enum counter i = 0; i < COUNTERS; ++i)
    counters->fds[i] = set->has[i] ? open_event (set, i, pid) : -1;
}

void
counters_end (struct counters *counters, double values[static COUNTERS])
{
  for (enum counter i = 0; i < COUNTERS; ++i)
    {
      struct
      {
        uint64_t value, enabled, running;
      } data;
      values[i] = NAN;
      if (counters->fds[i] < 0)
        continue;
      if (read (counters->fds[i], &data, sizeof data) == sizeof data
          && (data.running > 0 || data.enabled == 0))
        values[i] = (data.running > 0
                         ? (double) data.value * data.enabled / data.running
                         : 0);
      close (counters->fds[i]);
    }
}
