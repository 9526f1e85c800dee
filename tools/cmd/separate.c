/* "hugetext attach" and "hugetext adapt": execute the separate program
   hugetext-attach, which has these verbs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only hugetext-attach traces other processes.  hugetext-attach is in a
   separate package, which need not be installed.  */

#include "cmd/command.h"
#include "object/loader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
command_separate (int argc, char **argv)
{
  const char *const program = loader_attach ();
  const char *words[argc + 2];
  words[0] = program;
  /* The verb, which follows "hugetext " in argv[0].  */
  words[1] = strchr (argv[0], ' ') + 1;
  memcpy (words + 2, argv + 1, argc * sizeof *words);
  execv (program, (char **) words);
  struct problem problem;
  loader_no_attach (errno, &problem);
  fprintf (stderr, "%s: %s\n", argv[0], problem.text);
  return STATUS_PARTLY;
}
