/* "hugetext prime": files get cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "store/prime.h"
#include "util/options.h"
#include "util/output.h"
#include "util/terminal.h"

#include <stdio.h>
#include <string.h>

struct options
{
  bool dry_run;
  char **files; /* The files, or NULL.  */
};

static const struct command_option option_list[] = {
  { "dry-run", 'n', NULL, "Only say what would be done", take_flag,
    offsetof (struct options, dry_run) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "FILE...",
  .words = "files",
  .field = offsetof (struct options, files),
  .doc
  = "Have FILEs, programs and libraries whose own huge pages fit their text,"
    " cached in huge pages: what is cached in small ones is dropped, where"
    " nobody has it mapped, and read again."
    "\vThe exit status is 0, 1 if not all is on huge pages in the end, 2 if an"
    " option is wrong.",
};

/* Print the result for the file PRIMED.  */
static void
print_file (const struct options *options, const struct primed *primed)
{
  const struct prime_counts *before = &primed->before;
  char rest[96];
  if (primed->read && !options->dry_run)
    snprintf (rest, sizeof rest, ", %zu before", before->huge);
  else if (primed->done && !options->dry_run)
    strcpy (rest, " already");
  else
    snprintf (rest, sizeof rest, ", %zu small, %zu not cached%s",
              before->small, before->unread,
              !options->dry_run ? ""
              : primed->read    ? ": would be read again"
                                : ": stays as it is");
  terminal_say (stdout, 4, "%s: %zu of %zu blocks huge%s", primed->path,
                primed->after.huge, primed->blocks, rest);
}

/* Prime NAME.  Return whether all of it is on huge pages then.  */
static bool
prime (const struct options *options, const char *name)
{
  struct primed primed;
  prime_file (name, options->dry_run, &primed);
  if (primed.blocks > 0)
    print_file (options, &primed);
  if (primed.problem[0] != '\0')
    {
      output_flush ();
      fprintf (stderr, "hugetext prime: %s: %s\n", primed.path,
               primed.problem);
    }
  return primed.done;
}

int
command_prime (int argc, char **argv)
{
  struct options options = { .files = NULL };
  bool good = true;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if (options.files == NULL)
    options_fail ("which files? hugetext prime [OPTION...] FILE...");
  for (char **file = options.files; *file != NULL; ++file)
    good &= prime (&options, *file);
  return good ? STATUS_OK : STATUS_PARTLY;
}
