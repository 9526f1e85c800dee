/* "hugetext prime": files get cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "store/prime.h"
#include "util/options.h"
#include "util/output.h"
#include "util/terminal.h"

#include <stdio.h>

static const struct command_usage usage = {
  .arguments = "FILE...",
  .words = "files",
  .missing = "which files? hugetext prime FILE...",
  .doc
  = "Have FILEs, programs and libraries whose own huge pages fit their text,"
    " cached in huge pages: what is cached in small ones is dropped, where"
    " nobody has it mapped, and read again."
    "\vThe exit status is 0, 1 if not all is on huge pages in the end, 2 if an"
    " option is wrong.",
};

/* Prime NAME.  Return whether all of it is on huge pages then.  */
static bool
prime (const char *name)
{
  struct primed primed;
  bool good = prime_file (name, &primed);
  if (primed.blocks > 0)
    terminal_say (stdout, 4, "%s: %zu of %zu blocks huge, %zu before",
                  primed.path, primed.after, primed.blocks, primed.before);
  if (!good)
    {
      output_flush ();
      fprintf (stderr, "hugetext prime: %s: %s\n", primed.path,
               primed.problem);
    }
  return good;
}

int
command_prime (int argc, char **argv)
{
  char **files = NULL;
  bool good = true;
  options_parse (&usage, argc, argv, STATUS_USAGE, &files);
  for (char **file = files; *file != NULL; ++file)
    good &= prime (*file);
  return good ? STATUS_OK : STATUS_PARTLY;
}
