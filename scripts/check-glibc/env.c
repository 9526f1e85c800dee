/* env(1) for glibc's tests: it adds huge text to the environment that they
   set.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: env [--debug=DIRECTORY] TUNABLES [-i] [-u NAME] [NAME=VALUE...]
     COMMAND [ARG...]

   A test that sets GLIBC_TUNABLES for itself keeps its tunables, and TUNABLES
   come after them.  With --debug the loader writes its actions to files in
   DIRECTORY.  The loader's files have the name of the file to which the test's
   standard output goes, followed by the process ID.  This program is linked
   statically, so that it runs without any loader.  */

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
die (const char *what)
{
  fprintf (stderr, "env: %s: %s\n", what, strerror (errno));
  exit (127);
}

static void
append_tunables (const char *ours)
{
  const char *theirs = getenv ("GLIBC_TUNABLES");
  char *all;
  if (theirs == NULL || *theirs == '\0')
    all = strdup (ours);
  else if (asprintf (&all, "%s:%s", theirs, ours) < 0)
    all = NULL;
  if (all == NULL || setenv ("GLIBC_TUNABLES", all, 1) != 0)
    die ("GLIBC_TUNABLES");
}

static void
ask_loader (const char *directory)
{
  /* Do not set LD_DEBUG for tests that use LD_DEBUG themselves.  */
  if (getenv ("LD_DEBUG") != NULL)
    return;
  char output[PATH_MAX];
  ssize_t length = readlink ("/proc/self/fd/1", output, sizeof output - 1);
  output[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr (output, '/');
  const char *base = slash != NULL ? slash + 1 : "unknown";
  char *file;
  if (asprintf (&file, "%s/%s", directory, base) < 0
      || setenv ("LD_DEBUG", "files", 1) != 0
      || setenv ("LD_DEBUG_OUTPUT", file, 1) != 0)
    die ("LD_DEBUG");
}

int
main (int argc, char **argv)
{
  const char *debug = NULL;
  int i = 1;
  if (i < argc && strncmp (argv[i], "--debug=", 8) == 0)
    debug = argv[i++] + 8;
  const char *tunables = i < argc ? argv[i++] : "";
  for (; i < argc; ++i)
    if (strcmp (argv[i], "-i") == 0)
      clearenv ();
    else if (strcmp (argv[i], "-u") == 0 && i + 1 < argc)
      unsetenv (argv[++i]);
    else if (strchr (argv[i], '=') == NULL)
      break;
    else if (putenv (argv[i]) != 0)
      die (argv[i]);
  if (i >= argc || *argv[i] == '-')
    {
      errno = EINVAL;
      die (i < argc ? argv[i] : "no command");
    }
  append_tunables (tunables);
  if (debug != NULL)
    ask_loader (debug);
  execvp (argv[i], argv + i);
  die (argv[i]);
}
