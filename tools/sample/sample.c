/* A recording: samples of a command, or of processes that run, for a time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sample/sample.h"
#include "host/perf.h"
#include "host/process.h"
#include "run/held.h"
#include "run/launch.h"
#include "run/supervise.h"
#include "sample/events.h"

#include <errno.h>
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

/* Start SAMPLING's command once EVENTS are open for it.  Return NULL, or what
   failed.  */
static const char *
start_command (struct sampling *sampling, struct sample_events *events)
{
  int fd = held_fork (&sampling->child);
  if (fd < 0)
    return strerror (errno);
  if (sampling->child == 0)
    _exit (held_wait (fd) ? launch_execute (sampling->command) : 0);
  const char *problem = events_add (events, sampling->child, true);
  supervise_signals (sampling->child);
  if (problem == NULL)
    held_tell (fd);
  close (fd);
  return problem;
}

/* Open EVENTS for SAMPLING's processes, and learn their mappings: for all, or
   where that is forbidden for all of this user's.  Return NULL, or why there
   are none.  */
static const char *
attach (struct sampling *sampling, struct sample_events *events)
{
  if (sampling->all)
    {
      const char *problem = events_add_all (events);
      if (problem == NULL || geteuid () == 0)
        return problem;
      ssize_t n = process_list (NULL, &sampling->pids);
      sampling->npids = n > 0 ? n : 0;
      sampling->own = true;
    }
  size_t good = 0;
  for (size_t i = 0; i < sampling->npids; ++i)
    {
      char name[16];
      const char *problem = events_add (events, sampling->pids[i], false);
      if (problem == NULL)
        problem = count_look (sampling, sampling->pids[i]);
      good += problem == NULL;
      if (problem == NULL)
        continue;
      snprintf (name, sizeof name, "%d", (int) sampling->pids[i]);
      if (!sampling->own)
        sampling->say (name, problem);
      sampling->pids[i] = 0;
    }
  return good > 0        ? NULL
         : sampling->own ? "others' processes only by root, and none of your"
                           " own runs"
                         : "";
}

/* Whether SAMPLING still has a process to sample.  */
static bool
goes_on (struct sampling *sampling)
{
  if (sampling->all)
    return true;
  if (sampling->command != NULL)
    {
      sampling->ended
          = waitpid (sampling->child, &sampling->status, WNOHANG) != 0;
      return !sampling->ended;
    }
  for (size_t i = 0; i < sampling->npids; ++i)
    if (sampling->pids[i] != 0
        && (kill (sampling->pids[i], 0) == 0 || errno == EPERM))
      return true;
  return false;
}

/* Sample until SAMPLING is done.  */
static void
watch (struct sampling *sampling, struct sample_events *events)
{
  /* Empty the kernel's buffers 20 times a second.  */
  const struct timespec step = { .tv_nsec = 50000000 };
  const double start = now ();
  bool more = true;
  while (more && !(sampling->command == NULL && interrupted))
    {
      nanosleep (&step, NULL);
      more = goes_on (sampling);
      events_look (events, sampling);
      sampling->time = now () - start;
      more = more
             && (sampling->seconds == 0 || sampling->time < sampling->seconds);
    }
}

const char *
sample (struct sampling *sampling)
{
  static char text[512];
  struct sample_events events;
  const char *problem = NULL;
  sampling->event = events_begin (&events);
  if (sampling->event == NULL)
    problem = perf_problem (errno);
  else if (sampling->command != NULL)
    problem = start_command (sampling, &events);
  else
    {
      struct sigaction action = { .sa_handler = interrupt };
      sigaction (SIGINT, &action, NULL);
      sigaction (SIGTERM, &action, NULL);
      problem = attach (sampling, &events);
    }
  if (problem == NULL)
    watch (sampling, &events);
  events_end (&events, sampling);
  count_end (sampling);
  if (problem == NULL || problem[0] == '\0')
    return problem;
  snprintf (text, sizeof text, "nothing can be sampled: %s", problem);
  return text;
}

void
sample_wait (struct sampling *sampling)
{
  while (sampling->child > 0 && !sampling->ended)
    sampling->ended = (waitpid (sampling->child, &sampling->status, 0) >= 0
                       || errno != EINTR);
}
