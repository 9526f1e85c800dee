/* The trial of a loader before it takes the place of the system's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The trial executes this command again, in a namespace in which the loader is
   bound over the system's, as for a service; where no namespace is possible,
   under the loader as a command.  The loader may do anything, so the trial has
   a time limit, and only the output counts.  Packages try their loader in this
   way, too, when the loader or libc is installed.  */

#include "host/child.h"
#include "host/namespace.h"
#include "object/loader.h"
#include "service/parts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* The limit of a trial, in milliseconds.  Most trials take less than 100;
   services have 90 s to start, few less than 10.  */
#define TRIAL_TIME 4000

bool
trial_fits (const char *path, struct problem *problem)
{
  struct loader loader;
  if (loader_read (path, &loader))
    return problem_take (problem, loader_problem (&loader));
  return problem_set (problem, "%s: %s", path,
                      errno == ENOEXEC ? "no loader" : strerror (errno));
}

/* Run the trial program under LOADER with TUNABLES, for at most TIME
   milliseconds.  */
static bool
attempt (const char *loader, const char *tunables, long time,
         struct problem *problem)
{
  char word[64], under[PATH_MAX + 64], limit[64];
  snprintf (word, sizeof word, "GLIBC_TUNABLES=%s", tunables);
  snprintf (under, sizeof under, "--under=%s", loader);
  snprintf (limit, sizeof limit, "--time=%ld", time);
  const char *const argv[] = { "/proc/self/exe", "guard", under, limit, NULL };
  /* The program does not get the service's environment, which may name
     libraries.  */
  char *const environment[] = { word, "LC_ALL=C", NULL };
  char *output;
  int status = child_run (argv, environment, &output);
  if (status < 0)
    return problem_errno (problem, "the trial program");
  bool good = status == 0 && strcmp (output, "good\n") == 0;
  output[strcspn (output, "\n")] = '\0';
  if (status == 128 + SIGALRM)
    problem_set (problem, "the trial program took more than %g s under it%s%s",
                 time / 1000.0, tunables[0] != '\0' ? ", " : "", tunables);
  else if (!good)
    problem_set (problem,
                 "the trial program failed under it with status %d%s%s%s%s",
                 status, tunables[0] != '\0' ? ", " : "", tunables,
                 output[0] != '\0' ? ": " : "", output);
  free (output);
  return good;
}

bool
service_try (const char *loader, long patience, struct problem *problem)
{
  /* Leave time for two trials, and for the other steps.  */
  long time = patience > 0 && patience / 4 < TRIAL_TIME ? patience / 4 + 1
                                                        : TRIAL_TIME;
  return (trial_fits (loader, problem) && attempt (loader, "", time, problem)
          && attempt (loader, "glibc.mem.hugetext=1", time, problem));
}

int
service_enter_trial (const char *loader, long time)
{
  const struct itimerval limit
      = { .it_value = { time / 1000, time % 1000 * 1000 } };
  char command[PATH_MAX];
  ssize_t length = readlink ("/proc/self/exe", command, sizeof command - 1);
  command[length > 0 ? length : 0] = '\0';
  const char *problem = namespace_bind (loader, loader_system ());
  setitimer (ITIMER_REAL, &limit, NULL);
  if (problem == NULL)
    execl (command, "hugetext", "guard", "--tried", NULL);
  else
    execl (loader, loader, command, "guard", "--tried", NULL);
  printf ("%s: %s\n", problem != NULL ? loader : command, strerror (errno));
  return EXIT_FAILURE;
}
