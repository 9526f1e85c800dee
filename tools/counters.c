/* Count events of a program, or of processes that run, in user mode.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "counters.h"
#include "machine.h"
#include "start.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const names[COUNTERS] = {
  [COUNTER_INSTRUCTIONS] = "instructions",
  [COUNTER_CYCLES] = "cycles",
  [COUNTER_ITLB_HITS] = "hits of the second-level instruction TLB",
  [COUNTER_ITLB_WALKS] = "page walks for instructions",
  [COUNTER_WALK_CYCLES] = "cycles of page walks",
};

/* What this CPU is.  */
static void
read_model (struct cpu_model *model)
{
  char *line = NULL;
  size_t size = 0;
  int fd = machine_open ("/proc/cpuinfo");
  FILE *stream = fd < 0 ? NULL : fdopen (fd, "r");
  *model = (struct cpu_model){ .vendor = "" };
  if (stream == NULL)
    return;
  /* Up to the end of the first processor.  */
  while (getline (&line, &size, stream) > 0 && line[0] != '\n')
    {
      sscanf (line, "vendor_id : %15s", model->vendor);
      if (strncmp (line, "CPU implementer", strlen ("CPU implementer")) == 0)
        strcpy (model->vendor, "Arm");
      sscanf (line, "cpu family : %u", &model->family);
      sscanf (line, "model : %u", &model->model);
    }
  free (line);
  fclose (stream);
}

static int
open_event (const struct counter_event *event, pid_t tid, bool at_exec)
{
  struct perf_event_attr attr = {
    .size = sizeof attr,
    .type = event->type,
    .config = event->config,
    .disabled = at_exec,
    .enable_on_exec = at_exec,
    .inherit = 1,
    .exclude_kernel = 1,
    .exclude_hv = 1,
    .read_format
    = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
  };
  return syscall (SYS_perf_event_open, &attr, tid, -1, -1,
                  PERF_FLAG_FD_CLOEXEC);
}

/* Why perf_event_open failed with ERROR.  */
static void
explain (int error, char *words, size_t size)
{
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    snprintf (words, size,
              "this machine has no counters, as most virtual ones"
              " have none");
  else if (error == EACCES || error == EPERM)
    snprintf (words, size,
              "kernel.perf_event_paranoid is %ld; as root, or with"
              " CAP_PERFMON",
              machine_number ("/proc/sys/kernel/perf_event_paranoid"));
  else
    snprintf (words, size, "perf_event_open: %s", strerror (error));
}

/* Find out which of SET's events there are, and put why not into PROBLEM.  */
static void
try_events (struct counter_set *set)
{
  char missing[160] = "";
  for (enum counter i = 0; i < COUNTERS; i++)
    {
      int error = 0;
      int fd = set->events[i].type == COUNTER_NONE
                   ? -1
                   : open_event (&set->events[i], 0, true);
      if (fd >= 0)
        {
          close (fd);
          set->any = true;
          continue;
        }
      error = errno;
      if (i == COUNTER_INSTRUCTIONS)
        {
          /* All others are in proportion to these.  */
          explain (error, set->problem, sizeof set->problem);
          return;
        }
      set->events[i].type = COUNTER_NONE;
      size_t used = strlen (missing);
      snprintf (missing + used, sizeof missing - used, "%s%s",
                used > 0 ? ", " : "", names[i]);
    }
  if (missing[0] != '\0')
    snprintf (set->problem, sizeof set->problem,
              "this CPU, or the kernel, does not count %s", missing);
}

void
counters_find (struct counter_set *set, bool stand_in)
{
  struct cpu_model model;
  *set = (struct counter_set){ .any = false };
  read_model (&model);
  for (enum counter i = 0; i < COUNTERS; i++)
    set->events[i]
        = stand_in ? (struct counter_event){ PERF_TYPE_SOFTWARE,
                                             i == COUNTER_ITLB_WALKS
                                                 ? PERF_COUNT_SW_PAGE_FAULTS
                                                 : PERF_COUNT_SW_TASK_CLOCK }
                   : counter_event (i, &model);
  if (start_look ()->filtered)
    /* It may kill for the attempt.  */
    snprintf (set->problem, sizeof set->problem,
              "a filter (seccomp) of this process may not allow it");
  else
    try_events (set);
  if (!set->any)
    for (enum counter i = 0; i < COUNTERS; i++)
      set->events[i].type = COUNTER_NONE;
}

void
counters_open (struct counters *counters, const struct counter_set *set,
               pid_t tid, bool at_exec)
{
  for (enum counter i = 0; i < COUNTERS; i++)
    counters->fds[i] = set->events[i].type == COUNTER_NONE
                           ? -1
                           : open_event (&set->events[i], tid, at_exec);
}

void
counters_read (const struct counters *counters, double values[static COUNTERS])
{
  for (enum counter i = 0; i < COUNTERS; i++)
    {
      struct
      {
        uint64_t value, enabled, running;
      } data;
      if (counters->fds[i] < 0
          || read (counters->fds[i], &data, sizeof data) != sizeof data
          || (data.running == 0 && data.enabled > 0))
        values[i] = NAN;
      else if (data.running > 0)
        values[i] += (double)data.value * data.enabled / data.running;
    }
}

void
counters_close (struct counters *counters)
{
  for (enum counter i = 0; i < COUNTERS; i++)
    if (counters->fds[i] >= 0)
      close (counters->fds[i]);
}
