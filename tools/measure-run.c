/* Run a command once, and measure it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The child gets all ready, and executes the command when it is told to: only
   that is timed.  Looking at its text takes time of another processor, and
   keeps the command from changing its memory meanwhile: so it is looked at
   once, and all that are compared at the same time of their lives.  */

#include "measure-run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static double
seconds (const struct timeval *time)
{
  return time->tv_sec + time->tv_usec * 1e-6;
}

/* Both ends of what parent and child tell each other.  */
struct talk
{
  int go[2], ready[2];
};

static bool
open_talk (struct talk *talk)
{
  if (pipe2 (talk->go, O_CLOEXEC) != 0)
    return false;
  if (pipe2 (talk->ready, O_CLOEXEC) == 0)
    return true;
  close (talk->go[0]);
  close (talk->go[1]);
  return false;
}

static bool
wait_for_byte (int fd)
{
  char byte;
  ssize_t n;
  while ((n = read (fd, &byte, 1)) < 0 && errno == EINTR)
    continue;
  return n == 1;
}

/* In the child: become CONTENDER's command.  The first byte says that counters
   are open, for which we have to be as we were, the second that it is time.
   What was used until then is told.  */
static void __attribute__ ((noreturn))
become (const struct contender *contender, const struct run_plan *plan,
        const struct talk *talk, int output)
{
  struct launch launch = contender->launch;
  struct rusage usage;
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  close (talk->go[1]);
  close (talk->ready[0]);
  if (null < 0 || !wait_for_byte (talk->go[0])
      || (contender->tunables != NULL
          && setenv ("GLIBC_TUNABLES", contender->tunables, 1) != 0))
    _exit (125);
  launch_prepare (&launch);
  dup2 (null, STDIN_FILENO);
  dup2 (output >= 0 ? output : null, STDOUT_FILENO);
  if (!plan->heard)
    dup2 (null, STDERR_FILENO);
  getrusage (RUSAGE_SELF, &usage);
  if (write (talk->ready[1], &usage, sizeof usage) != sizeof usage
      || !wait_for_byte (talk->go[0]))
    _exit (125);
  _exit (launch_execute (&launch));
}

/* Keep in RESULT what can be seen of PID, if that is anything.  */
static void
look (pid_t pid, const struct run_plan *plan, struct run_result *result)
{
  struct family family;
  family_look (pid, plan->watched, &family);
  if (family.processes > 0)
    result->family = family;
}

/* Wait until PID has ended, and look at it as PLAN says.  Its end is left to
   be waited for.  */
static void
watch (pid_t pid, const struct run_plan *plan, struct run_result *result)
{
  /* Seconds, and shares of its life.  */
  const double first = 0.0005, part = 0.1, most = 1;
  const double start = now ();
  int pidfd = syscall (__NR_pidfd_open, pid, 0);
  struct pollfd event = { .fd = pidfd, .events = POLLIN };
  double wait = plan->watched ? first : plan->look_at;
  /* Without such a descriptor (before Linux 5.3) it cannot be known in time
     whether it still runs.  */
  while (pidfd >= 0 && wait > 0)
    {
      struct timespec time = { .tv_sec = (time_t)wait };
      time.tv_nsec = (wait - time.tv_sec) * 1e9;
      int n = ppoll (&event, 1, &time, NULL);
      if (n > 0 || (n < 0 && errno != EINTR))
        break;
      look (pid, plan, result);
      wait = plan->watched ? fmin (fmax ((now () - start) * part, first), most)
                           : 0;
    }
  if (pidfd >= 0)
    close (pidfd);
}

/* What of USAGE has come since BEFORE, into VALUES.  */
static void
take_usage (double value[], const struct rusage *usage,
            const struct rusage *before)
{
  value[QUANTITY_USER]
      = seconds (&usage->ru_utime) - seconds (&before->ru_utime);
  value[QUANTITY_SYSTEM]
      = seconds (&usage->ru_stime) - seconds (&before->ru_stime);
  value[QUANTITY_MINOR] = usage->ru_minflt - before->ru_minflt;
  value[QUANTITY_MAJOR] = usage->ru_majflt - before->ru_majflt;
  value[QUANTITY_RSS] = usage->ru_maxrss * 1024.0;
}

/* The number in FD, a file, NAN if there is none.  */
static double
read_number (int fd)
{
  char text[64], *end;
  ssize_t n = pread (fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  double number = strtod (text, &end);
  return end == text ? NAN : number;
}

/* Let PID, our child, go and measure it.  Returns NULL, or what failed.  */
static const char *
measure_child (pid_t pid, const struct run_plan *plan, struct talk *talk,
               struct run_result *result)
{
  struct rusage before, usage;
  struct counters counters;
  double counts[COUNTERS] = { 0 };
  double *value = result->values.value;
  counters_open (&counters, plan->counters, pid, true);
  bool good
      = (write (talk->go[1], "", 1) == 1
         && read (talk->ready[0], &before, sizeof before) == sizeof before);
  double start = now ();
  good = good && write (talk->go[1], "", 1) == 1;
  if (good)
    watch (pid, plan, result);
  while (wait4 (pid, &result->status, 0, &usage) < 0)
    if (errno != EINTR)
      good = false;
  value[QUANTITY_TIME] = now () - start;
  if (!good)
    return "the child ended before it could be started";
  take_usage (value, &usage, &before);
  counters_read (&counters, counts);
  counters_close (&counters);
  quantity_from_counts (&result->values, counts);
  return NULL;
}

const char *
measure_run (const struct contender *contender, const struct run_plan *plan,
             struct run_result *result)
{
  struct talk talk;
  *result = (struct run_result){ .status = 0 };
  for (enum quantity i = 0; i < QUANTITIES; i++)
    result->values.value[i] = NAN;
  FILE *output = plan->number ? tmpfile () : NULL;
  if ((plan->number
       && (output == NULL
           || fcntl (fileno (output), F_SETFD, FD_CLOEXEC) != 0))
      || !open_talk (&talk))
    return strerror (errno);
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    become (contender, plan, &talk, output != NULL ? fileno (output) : -1);
  close (talk.ready[1]);
  const char *problem
      = pid < 0 ? strerror (errno) : measure_child (pid, plan, &talk, result);
  /* Both ends until now: writing to a child that has ended is no signal.  */
  close (talk.go[0]);
  close (talk.go[1]);
  close (talk.ready[0]);
  const struct text_sums *sums = &result->family.sums;
  if (sums->huge + sums->small > 0)
    result->values.value[QUANTITY_HUGE]
        = report_share (sums->huge, sums->small);
  if (output != NULL)
    {
      result->values.value[QUANTITY_NUMBER] = read_number (fileno (output));
      result->no_number = isnan (result->values.value[QUANTITY_NUMBER]);
      fclose (output);
    }
  return problem;
}
