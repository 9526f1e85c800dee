/* Sample a command, or processes that run, for a time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "profile-sample.h"
#include "output.h"
#include "profile-events.h"
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds.  Processes that run are sampled for not more than the first, but
   not less than the second; of a command the second third is not enough: it
   has a beginning and an end.  */
#define MOST 60
#define LEAST 2
#define LEAST_OF_COMMAND 10

static volatile sig_atomic_t interrupted;

static void
interrupt (int signal)
{
  (void)signal;
  interrupted = 1;
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* In the child: execute COMMAND when START can be read, or else say on FAILED
   why not.  */
static void __attribute__ ((noreturn))
execute (char **command, int start, int failed)
{
  char byte;
  ssize_t n;
  while ((n = read (start, &byte, 1)) < 0 && errno == EINTR)
    ;
  if (n == 1)
    execvp (command[0], command);
  int error = errno;
  /* If that cannot be read, there is nobody to tell.  */
  n = write (failed, &error, sizeof error);
  (void)n;
  _exit (127);
}

/* Start JOB's command once EVENTS are ready for it.  Returns NULL, or what
   failed.  */
static const char *
start_command (struct profile_job *job, struct profile_events *events)
{
  int start[2], failed[2];
  if (pipe2 (start, O_CLOEXEC) != 0)
    return strerror (errno);
  if (pipe2 (failed, O_CLOEXEC) != 0)
    {
      close (start[0]);
      close (start[1]);
      return strerror (errno);
    }
  fflush (NULL);
  const char *problem = NULL;
  pid_t pid = fork ();
  if (pid == 0)
    {
      close (start[1]);
      execute (job->command, start[0], failed[1]);
    }
  if (pid < 0)
    problem = strerror (errno);
  else
    {
      problem = profile_events_add (events, pid, true);
      supervise_signals (pid);
    }
  close (start[0]);
  close (failed[1]);
  if (pid > 0 && problem == NULL)
    {
      if (write (start[1], "", 1) != 1)
        problem = strerror (errno);
      /* Closed by execve.  */
      if (read (failed[0], &job->error, sizeof job->error)
          != sizeof job->error)
        job->error = 0;
    }
  close (start[1]);
  close (failed[0]);
  if (pid > 0 && (problem != NULL || job->error != 0))
    waitpid (pid, &job->status, 0);
  else if (pid > 0)
    job->child = pid;
  return problem;
}

/* Have EVENTS of JOB's processes told to COUNTS.  Returns NULL, or why there
   are none.  */
static const char *
attach (struct profile_job *job, struct profile_events *events,
        struct profile_counts *counts)
{
  size_t good = 0;
  for (size_t i = 0; i < job->npids; i++)
    {
      const char *problem = profile_events_add (events, job->pids[i], false);
      if (problem == NULL)
        problem = profile_count_look (counts, job->pids[i]);
      if (problem == NULL)
        good++;
      else
        {
          job->say (job->pids[i], problem);
          job->pids[i] = 0;
        }
    }
  return good > 0 ? NULL : "";
}

/* Whether there is still anything of JOB to sample.  */
static bool
goes_on (struct profile_job *job)
{
  if (job->command != NULL)
    {
      job->ended = waitpid (job->child, &job->status, WNOHANG) != 0;
      return !job->ended;
    }
  for (size_t i = 0; i < job->npids; i++)
    if (job->pids[i] != 0 && (kill (job->pids[i], 0) == 0 || errno == EPERM))
      return true;
  return false;
}

/* Whether JOB has been sampled for long enough, TIME seconds.  */
static bool
is_done (struct profile_job *job, struct profile_counts *counts, double time)
{
  if (job->seconds > 0)
    return time >= job->seconds;
  double least = job->command != NULL ? LEAST_OF_COMMAND : LEAST;
  job->stable = profile_counts_stable (counts) && time >= least;
  return job->stable || (job->command == NULL && time >= MOST);
}

/* Say on a terminal how far JOB is.  */
static void
progress (const struct profile_job *job, const struct profile_counts *counts,
          double time)
{
  output_control (stderr, "\r\033[K");
  if (job->seconds > 0)
    fprintf (stderr, "%.0f of %.0f s", time, job->seconds);
  else
    fprintf (stderr, "%.0f s", time);
  fprintf (stderr, ": %" PRIu64 " samples in %zu objects", counts->text,
           counts->nobjects);
}

/* Sample until JOB is done.  */
static void
watch (struct profile_job *job, struct profile_events *events,
       struct profile_counts *counts)
{
  /* 20 times a second the kernel's buffers are emptied; people read what is
     printed twice.  A command that writes to the terminal has it alone.  */
  const struct timespec step = { .tv_nsec = 50000000 };
  const bool show = job->command == NULL && isatty (STDERR_FILENO);
  double start = now (), shown = start;
  bool more = true;
  while (more && !(job->command == NULL && interrupted))
    {
      nanosleep (&step, NULL);
      more = goes_on (job);
      double time = now ();
      profile_events_read (events, counts, false);
      job->time = time - start;
      if (more && is_done (job, counts, job->time))
        break;
      if (show && time - shown >= 0.5)
        {
          progress (job, counts, time - start);
          shown = time;
        }
    }
  profile_events_stop (events);
  profile_events_read (events, counts, true);
  /* ECMA-48: erase the line.  */
  if (show)
    output_control (stderr, "\r\033[K");
}

const char *
profile_sample (struct profile_job *job, struct profile_counts *counts)
{
  struct profile_events events;
  const char *problem = profile_events_begin (&events);
  if (problem != NULL)
    return problem;
  job->event = events.name;
  if (job->command != NULL)
    problem = start_command (job, &events);
  else
    {
      struct sigaction action = { .sa_handler = interrupt };
      sigaction (SIGINT, &action, NULL);
      sigaction (SIGTERM, &action, NULL);
      problem = attach (job, &events, counts);
    }
  counts->root = job->child;
  if (problem == NULL && job->error == 0)
    watch (job, &events, counts);
  profile_counts_end (counts);
  profile_events_close (&events);
  return problem;
}

void
profile_sample_wait (struct profile_job *job)
{
  while (job->child > 0 && !job->ended)
    job->ended = waitpid (job->child, &job->status, 0) >= 0 || errno != EINTR;
}
