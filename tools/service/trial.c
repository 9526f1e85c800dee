/* The trial of a loader before it takes the place of the system's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The trial executes this command again, with huge text on, in a namespace in
   which the loader is bound over the system's, as for a service; where no
   namespace is possible, under the loader as a command.  The loader may do
   anything, so the trial has a time limit, and only the output counts.
   Packages try their loader in this way, too, when the loader or libc is
   installed.  */

#include "host/child.h"
#include "host/namespace.h"
#include "object/loader.h"
#include "service/parts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The limit of a trial, in seconds.  Most trials take less than 0.1; services
   have 90 to start, few less than 10.  */
#define TRIAL_TIME 4

bool
trial_fits (const char *path, struct problem *problem)
{
  struct loader loader;
  if (loader_read (path, &loader))
    return problem_take (problem, loader_problem (&loader));
  return problem_set (problem, "%s: %s", path,
                      errno == ENOEXEC ? "no loader" : strerror (errno));
}

bool
service_try (const char *loader, struct problem *problem)
{
  char under[PATH_MAX + 16];
  snprintf (under, sizeof under, "--under=%s", loader);
  const char *const argv[] = { "/proc/self/exe", "guard", under, NULL };
  char *output;
  if (!trial_fits (loader, problem))
    return false;
  int status = child_run (argv, &output);
  if (status < 0)
    return problem_errno (problem, "the trial program");
  bool good = status == 0 && strcmp (output, "good\n") == 0;
  output[strcspn (output, "\n")] = '\0';
  if (status == 128 + SIGALRM)
    problem_set (problem, "the trial program took more than %d s under it",
                 TRIAL_TIME);
  else if (!good)
    problem_set (problem,
                 "the trial program failed under it with status %d%s%s",
                 status, output[0] != '\0' ? ": " : "", output);
  free (output);
  return good;
}

int
service_enter_trial (const char *loader)
{
  /* The program does not get the service's environment, which may name
     libraries.  */
  static char *const environment[]
      = { "GLIBC_TUNABLES=glibc.mem.hugetext=1", "LC_ALL=C", NULL };
  char command[PATH_MAX];
  ssize_t length = readlink ("/proc/self/exe", command, sizeof command - 1);
  command[length > 0 ? length : 0] = '\0';
  const char *problem = namespace_bind (loader, loader_system ());
  alarm (TRIAL_TIME);
  if (problem == NULL)
    execle (command, "hugetext", "guard", "--tried", NULL, environment);
  else
    execle (loader, loader, command, "guard", "--tried", NULL, environment);
  printf ("%s: %s\n", problem != NULL ? loader : command, strerror (errno));
  return EXIT_FAILURE;
}
