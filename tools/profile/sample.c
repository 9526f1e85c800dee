/* A recording: samples of a command, or of processes that run, for a time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "profile/profile.h"
#include "profile/events.h"
#include "host/process.h"
#include "run/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void
interrupt (int signal)
{
  (void) signal;
  interrupted = 1;
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Run in the child: execute COMMAND when START can be read; on failure write
   errno to FAILED.  */
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
  /* If the parent is gone, nobody reads the error.  */
  n = write (failed, &error, sizeof error);
  (void) n;
  _exit (127);
}

/* Start JOB's command once EVENTS are open for it.  Return NULL, or what
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
      /* A successful execve closes the pipe.  */
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

/* Open EVENTS for JOB's processes, and pass their mappings to COUNTS.  Return
   NULL, or why there are none.  */
static const char *
attach (struct profile_job *job, struct profile_events *events,
        struct profile_counts *counts)
{
  size_t good = 0;
  for (size_t i = 0; i < job->npids; ++i)
    {
      const char *problem = profile_events_add (events, job->pids[i], false);
      if (problem == NULL)
        problem = profile_count_look (counts, job->pids[i]);
      if (problem == NULL)
        ++good;
      else
        {
          job->say (job->pids[i], problem);
          job->pids[i] = 0;
        }
    }
  return good > 0 ? NULL : "";
}

/* Open EVENTS for all processes, or for this user's, and then set JOB->own.
   Return NULL, or why no process can be sampled.  */
static const char *
attach_all (struct profile_job *job, struct profile_events *events)
{
  const char *problem = profile_events_add_all (events);
  if (problem == NULL || geteuid () == 0)
    return problem;
  pid_t *list;
  ssize_t n = process_list (NULL, &list);
  bool any = false;
  for (ssize_t i = 0; i < n; ++i)
    {
      struct process process;
      if (list[i] != getpid () && process_read (list[i], &process)
          && process.uid == geteuid ())
        any |= profile_events_add (events, list[i], false) == NULL;
    }
  free (list);
  job->own = true;
  return any ? NULL
             : "nothing can be sampled: others' processes only by root, and"
               " none of your own runs";
}

/* Whether JOB still has a process to sample.  */
static bool
goes_on (struct profile_job *job)
{
  if (job->all)
    return true;
  if (job->command != NULL)
    {
      job->ended = waitpid (job->child, &job->status, WNOHANG) != 0;
      return !job->ended;
    }
  for (size_t i = 0; i < job->npids; ++i)
    if (job->pids[i] != 0 && (kill (job->pids[i], 0) == 0 || errno == EPERM))
      return true;
  return false;
}

/* Sample until JOB is done.  */
static void
watch (struct profile_job *job, struct profile_events *events,
       struct profile_counts *counts)
{
  /* Empty the kernel's buffers 20 times a second.  */
  const struct timespec step = { .tv_nsec = 50000000 };
  const double start = now ();
  bool more = true;
  while (more && !(job->command == NULL && interrupted))
    {
      nanosleep (&step, NULL);
      more = goes_on (job);
      profile_events_read (events, counts, false);
      job->time = now () - start;
      more = more && (job->seconds == 0 || job->time < job->seconds);
    }
  profile_events_stop (events);
  profile_events_read (events, counts, true);
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
      problem = job->all ? attach_all (job, &events)
                         : attach (job, &events, counts);
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
