/* Try a loader before it is put in the place of the system's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This command itself is what is tried: it is executed again in a namespace
   in which the loader lies over the system's, as a service is.  The loader may
   be anything, so it has a time limit, and only what is printed counts.  */

#include "trial.h"
#include "child.h"
#include "loader.h"
#include "namespace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Milliseconds until a trial is given up.  Most take less than 100; services
   have 90 s to start, few less than 10.  */
#define TRIAL_TIME 4000

const char *
trial_problem (const char *path)
{
  static char text[PATH_MAX + 64];
  static struct loader loader;
  if (loader_read (path, &loader))
    return loader_problem (&loader);
  snprintf (text, sizeof text, "%s: %s", path,
            errno == ENOEXEC ? "no loader" : strerror (errno));
  return text;
}

/* Start a program under LOADER that does what WHAT says, with TUNABLES, for
   TIME milliseconds at most.  */
static const char *
attempt (const char *loader, const char *what, const char *tunables, long time)
{
  static char text[512];
  char word[64], bind[PATH_MAX + 64], limit[64];
  snprintf (word, sizeof word, "GLIBC_TUNABLES=%s", tunables);
  snprintf (bind, sizeof bind, "--try=%s", loader);
  snprintf (limit, sizeof limit, "--time=%ld", time);
  const char *const argv[]
      = { "/proc/self/exe", "guard", bind, limit, what, NULL };
  /* Not the service's environment, which may name libraries.  */
  char *const environment[] = { word, "LC_ALL=C", NULL };
  char *output;
  int status = child_run (argv, environment, &output);
  if (status < 0)
    {
      snprintf (text, sizeof text, "the trial program: %s", strerror (errno));
      return text;
    }
  const char *problem = NULL;
  if (status != 0 || strcmp (output, "good\n") != 0)
    {
      output[strcspn (output, "\n")] = '\0';
      snprintf (text, sizeof text,
                "the trial program failed under it with status %d%s%s%s%s",
                status, tunables[0] != '\0' ? ", " : "", tunables,
                output[0] != '\0' ? ": " : "", output);
      problem = text;
    }
  free (output);
  return problem;
}

const char *
trial_run (const char *loader, bool whole, long patience)
{
  static const char *const settings[] = { "", "glibc.mem.hugetext=1" };
  const char *problem = NULL;
  /* Two of them, and all that comes besides.  */
  long time = patience > 0 && patience / 4 < TRIAL_TIME ? patience / 4 + 1
                                                        : TRIAL_TIME;
  for (size_t i = whole ? 0 : 1;
       problem == NULL && i < sizeof settings / sizeof *settings; i++)
    problem = attempt (loader, whole ? "trial" : "start", settings[i], time);
  return problem;
}

int
trial_enter (const char *loader, const char *next, long time)
{
  const struct itimerval limit
      = { .it_value = { time / 1000, time % 1000 * 1000 } };
  const char *problem = namespace_bind (loader, loader_system ());
  if (problem == NULL)
    {
      setitimer (ITIMER_REAL, &limit, NULL);
      execl ("/proc/self/exe", "hugetext", "guard", "--tried", next, NULL);
      problem = strerror (errno);
    }
  puts (problem);
  return EXIT_FAILURE;
}
