/* One run of a command, with its time and counters.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A child process makes all preparations, and executes the command when the
   parent tells the child to.  The measured time begins when the child executes
   the command.  Runs in which the command's text is inspected are not
   measured, because an inspection keeps another processor busy, and delays
   system calls with which the command changes its memory mappings.  */

#include "measure/measure.h"
#include "host/process.h"
#include "host/namespace.h"
#include "host/perf.h"
#include "object/loader.h"
#include "run/held.h"
#include "run/supervise.h"
#include "util/clock.h"
#include "util/exit-status.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The counters of the processor, under the names that the kernel gives
   them.  */
enum
{
  INSTRUCTIONS,
  CYCLES,
  ITLB,
  COUNTERS,
};

/* Open COUNTER for process PID.  The counter begins to count at the next
   execve of PID or of a descendant.  Return -1 with errno set if the counter
   is not available.  */
static int
open_counter (int counter, pid_t pid)
{
  static const uint64_t configs[COUNTERS]
      = { [INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
          [CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
          [ITLB] = PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_OP_READ << 8
                   | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 };
  struct perf_event_attr attr = {
    .size = sizeof attr,
    .type = counter == ITLB ? PERF_TYPE_HW_CACHE : PERF_TYPE_HARDWARE,
    .config = configs[counter],
    .disabled = 1,
    .enable_on_exec = 1,
    .inherit = 1,
    .exclude_kernel = 1,
    .exclude_hv = 1,
  };
  return perf_open (&attr, pid, -1);
}

/* Return the value of the counter FD, or NAN if it has no value.  Close the
   counter.  */
static double
end_counter (int fd)
{
  uint64_t value;
  if (fd < 0)
    return NAN;
  const bool good = read (fd, &value, sizeof value) == sizeof value;
  close (fd);
  return good ? value : NAN;
}

bool
measure_counters (struct problem *problem)
{
  /* Under a seccomp filter, do not try to open counters, because the filter
     may kill this process for the attempt.  */
  if (process_is_filtered (0))
    return problem_set (problem,
                        "hugetext runs under a seccomp filter, which may "
                        "forbid performance counters (perf_event_open)");
  for (int i = 0; i < COUNTERS; ++i)
    {
      int fd = open_counter (i, 0);
      if (fd < 0)
        return perf_explain (errno, problem);
      close (fd);
    }
  return true;
}

/* In the child: execute the command of VARIANT.  Wait for two messages from
   PARENT.  The parent sends the first message when it has opened the
   performance counters for this child.  The child must keep its original
   credentials until the first message, so that the kernel lets the parent open
   the performance counters.  The second message tells the child to execute the
   command.  */
static void __attribute__ ((noreturn))
measure_run_execute_command (const struct variant *variant, int parent,
                             int output, bool quiet)
{
  struct launch launch = variant->launch;
  struct problem problem;
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || !held_wait (parent)
      || (variant->tunables != NULL
          && setenv ("GLIBC_TUNABLES", variant->tunables, 1) != 0))
    _exit (STATUS_RUN_ERROR);
  launch_prepare (&launch);
  if (variant->apart
      && !namespace_bind (loader_system (), loader_system (), &problem))
    {
      launch_say ("%s: %s", variant->launch.argv[0], problem.text);
      _exit (STATUS_RUN_ERROR);
    }
  dup2 (null, STDIN_FILENO);
  dup2 (output >= 0 ? output : null, STDOUT_FILENO);
  if (quiet)
    dup2 (null, STDERR_FILENO);
  if (!held_tell (parent) || !held_wait (parent))
    _exit (STATUS_RUN_ERROR);
  _exit (launch_execute (&launch));
}

/* Wait until PID has ended, and return its wait status.  If SEEN is not NULL,
   inspect the text of PID repeatedly until PID has ended, and set *SEEN to the
   last inspection that found text.  */
static int
measure_run_wait_for_end (pid_t pid, struct rusage *usage, struct family *seen)
{
  /* The pause before each inspection, in seconds.  The pause is PART times the
     time for which the program has run so far, but at least FIRST and at most
     MOST.  */
  const double first = 0.0005, part = 0.1, most = 0.5,
               start = clock_seconds ();
  int status = 0;
  while (wait4 (pid, &status, seen != NULL ? WNOHANG : 0, usage) != pid)
    if (seen != NULL)
      {
        struct family family;
        usleep (
            1e6
            * fmin (fmax ((clock_seconds () - start) * part, first), most));
        family_look (pid, &family);
        if (family.processes > 0)
          *seen = family;
      }
  return status;
}

/* Return the number in the file FD, or NAN if the file contains no number.  */
static double
measure_run_read_number (int fd)
{
  char text[64], *end;
  ssize_t n = pread (fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  double number = strtod (text, &end);
  return end == text ? NAN : number;
}

/* STATUS is the wait status of the command of M, which was run under the
   variant NAME.  If the measurement cannot continue after STATUS, report
   STATUS and return an exit status.  If the measurement can continue, return
   0.  */
static int
measure_run_judge_status (const struct measurement *m, const char *name,
                          int status, bool no_number)
{
  const int asked = supervise_asked_to_end ();
  if (WIFSIGNALED (status))
    launch_say ("%s (%s) was ended by signal %d (%s)", m->command[0], name,
                WTERMSIG (status), strsignal (WTERMSIG (status)));
  else if (WEXITSTATUS (status) != 0)
    launch_say ("%s (%s) ended with status %d", m->command[0], name,
                WEXITSTATUS (status));
  else if (no_number)
    launch_say ("%s (%s) printed no number, but --number needs one",
                m->command[0], name);
  else if (asked != 0)
    launch_say ("the measurement was ended by signal %d (%s)", asked,
                strsignal (asked));
  return (WIFSIGNALED (status)        ? 128 + WTERMSIG (status)
          : WEXITSTATUS (status) != 0 ? WEXITSTATUS (status)
          : no_number                 ? STATUS_PARTLY
          : asked != 0                ? 128 + asked
                                      : STATUS_OK);
}

int
measure_run (struct measurement *m, size_t c, double values[])
{
  struct variant *variant = &m->variants[c];
  struct rusage usage = { .ru_maxrss = 0 };
  int counters[COUNTERS];
  double counts[COUNTERS], number = NAN;
  pid_t pid;
  int output = m->number ? memfd_create ("number", MFD_CLOEXEC) : -1;
  int child = m->number && output < 0 ? -1 : held_fork (&pid);
  if (child < 0)
    {
      launch_say ("%s: %s", m->command[0], strerror (errno));
      return STATUS_PARTLY;
    }
  if (pid == 0)
    measure_run_execute_command (variant, child, output, values != NULL);
  supervise_signals (pid);
  for (int i = 0; i < COUNTERS; ++i)
    counters[i] = m->counted ? open_counter (i, pid) : -1;
  held_tell (child);
  held_wait (child);
  const double start = clock_seconds ();
  held_tell (child);
  int status = measure_run_wait_for_end (
      pid, &usage, values == NULL ? &variant->family : NULL);
  const double end = clock_seconds ();
  close (child);
  for (int i = 0; i < COUNTERS; ++i)
    counts[i] = end_counter (counters[i]);
  if (output >= 0)
    {
      number = measure_run_read_number (output);
      close (output);
    }
  if (values != NULL)
    {
      values[QUANTITY_NUMBER] = number;
      values[QUANTITY_TIME] = end - start;
      values[QUANTITY_CPU]
          = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
      values[QUANTITY_FAULTS] = usage.ru_minflt + usage.ru_majflt;
      values[QUANTITY_RSS] = usage.ru_maxrss * 1024.0;
      values[QUANTITY_CYCLES] = counts[CYCLES] / counts[INSTRUCTIONS];
      values[QUANTITY_ITLB] = 1000 * counts[ITLB] / counts[INSTRUCTIONS];
    }
  return measure_run_judge_status (m, variant->name, status,
                                   m->number && isnan (number));
}
