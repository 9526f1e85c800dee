/* One run of a command, timed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The child makes everything ready, and executes the command when it is told
   to: only that is timed.  Looking at the command's text takes time of another
   processor, and keeps the command from changing its memory meanwhile: so the
   looks are in runs that do not count.  */

#include "measure/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
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

static bool
send_byte (int fd)
{
  return send (fd, "", 1, MSG_NOSIGNAL) == 1;
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

/* Run in the child: become VARIANT's command.  The first byte from PARENT says
   that counters are open, for which the child must have its first credentials,
   the second that it is time.  Send the usage until then to PARENT.  */
static void __attribute__ ((noreturn))
become (const struct variant *variant, const struct run_plan *plan, int parent,
        int output)
{
  struct launch launch = variant->launch;
  struct rusage usage;
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || !wait_for_byte (parent)
      || (variant->tunables != NULL
          && setenv ("GLIBC_TUNABLES", variant->tunables, 1) != 0))
    _exit (125);
  launch_prepare (&launch);
  dup2 (null, STDIN_FILENO);
  dup2 (output >= 0 ? output : null, STDOUT_FILENO);
  if (!plan->watched)
    dup2 (null, STDERR_FILENO);
  getrusage (RUSAGE_SELF, &usage);
  if (write (parent, &usage, sizeof usage) != sizeof usage
      || !wait_for_byte (parent))
    _exit (125);
  _exit (launch_execute (&launch));
}

/* Look at the text of PID until it has ended, without waiting for it.  Set
 *SEEN to the last look, if there was text.  */
static void
watch (pid_t pid, struct family *seen)
{
  /* Seconds, and a share of the program's life.  */
  const double first = 0.0005, part = 0.1, most = 1;
  const double start = now ();
  struct family family;
  /* Without such a descriptor (before Linux 5.3) there is no timely answer
     whether it still runs.  */
  struct pollfd event
      = { .fd = syscall (__NR_pidfd_open, pid, 0), .events = POLLIN };
  while (event.fd >= 0)
    {
      double wait = fmin (fmax ((now () - start) * part, first), most);
      struct timespec time = { .tv_sec = wait };
      time.tv_nsec = (wait - time.tv_sec) * 1e9;
      int n = ppoll (&event, 1, &time, NULL);
      if (n > 0 || (n < 0 && errno != EINTR))
        break;
      family_look (pid, true, &family);
      if (family.processes > 0)
        *seen = family;
    }
  if (event.fd >= 0)
    close (event.fd);
}

/* Set VALUE to the difference between USAGE and BEFORE, and to COUNTS.  */
static void
take_usage (double value[], const struct rusage *usage,
            const struct rusage *before, const double counts[])
{
  const double instructions = counts[COUNTER_INSTRUCTIONS];
  value[QUANTITY_USER]
      = seconds (&usage->ru_utime) - seconds (&before->ru_utime);
  value[QUANTITY_SYSTEM]
      = seconds (&usage->ru_stime) - seconds (&before->ru_stime);
  value[QUANTITY_MINOR] = usage->ru_minflt - before->ru_minflt;
  value[QUANTITY_MAJOR] = usage->ru_majflt - before->ru_majflt;
  value[QUANTITY_RSS] = usage->ru_maxrss * 1024.0;
  if (instructions > 0)
    {
      value[QUANTITY_CYCLES] = counts[COUNTER_CYCLES] / instructions;
      value[QUANTITY_ITLB] = 1000 * counts[COUNTER_ITLB] / instructions;
    }
}

/* Return the number in the file FD, NAN if there is none.  */
static double
read_number (int fd)
{
  char text[64], *end;
  ssize_t n = pread (fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  double number = strtod (text, &end);
  return end == text ? NAN : number;
}

/* Let PID, the child at the other end of the socket CHILD, go, and measure it.
   Return NULL, or what failed.  */
static const char *
measure_child (pid_t pid, int child, const struct run_plan *plan,
               struct run_result *result)
{
  struct rusage before, usage;
  struct counters counters;
  double counts[COUNTERS];
  counters_open (&counters, plan->counters, pid);
  bool good = (send_byte (child)
               && read (child, &before, sizeof before) == sizeof before);
  double start = now ();
  good = good && send_byte (child);
  if (good && plan->watched)
    watch (pid, &result->family);
  while (wait4 (pid, &result->status, 0, &usage) < 0)
    if (errno != EINTR)
      good = false;
  result->values.value[QUANTITY_TIME] = now () - start;
  counters_end (&counters, counts);
  if (!good)
    return "the child ended before it could be started";
  take_usage (result->values.value, &usage, &before, counts);
  return NULL;
}

const char *
measure_run (const struct variant *variant, const struct run_plan *plan,
             struct run_result *result)
{
  int ends[2];
  *result = (struct run_result){ .status = 0 };
  for (enum quantity i = 0; i < QUANTITIES; ++i)
    result->values.value[i] = NAN;
  FILE *output = plan->number ? tmpfile () : NULL;
  if ((plan->number
       && (output == NULL
           || fcntl (fileno (output), F_SETFD, FD_CLOEXEC) != 0))
      || socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return strerror (errno);
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      close (ends[0]);
      become (variant, plan, ends[1], output != NULL ? fileno (output) : -1);
    }
  close (ends[1]);
  const char *problem = pid < 0 ? strerror (errno)
                                : measure_child (pid, ends[0], plan, result);
  close (ends[0]);
  if (output != NULL)
    {
      result->values.value[QUANTITY_NUMBER] = read_number (fileno (output));
      result->no_number = isnan (result->values.value[QUANTITY_NUMBER]);
      fclose (output);
    }
  return problem;
}
