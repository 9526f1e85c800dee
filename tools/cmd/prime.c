/* "hugetext prime": make the kernel use huge pages to cache files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "store/prime.h"
#include "util/options.h"
#include "util/output.h"
#include "util/terminal.h"
#include "util/count.h"

#include <stdio.h>
#include <unistd.h>

static const struct command_usage usage = {
  .arguments = "FILE|DIR...",
  .words = "files",
  .missing = "no file is named: use hugetext prime FILE|DIR...",
  .doc
  = "Cache each FILE (a program or library) in huge pages, so that the "
    "loader can map these huge pages. If FILE is cached in small pages, drop "
    "these pages from the page cache and read FILE again, unless a process "
    "has FILE mapped. In a DIR (of an application or a Python environment), "
    "cache all programs and libraries that are at least as large as a huge "
    "page, and print one line for all of them.\vThe exit status is 0 on "
    "success, 1 if part of a FILE is still cached in small pages or a DIR "
    "cannot be read, 2 if an option is wrong.",
};

/* Make the kernel use huge pages to cache the file NAME.  Return true if the
   kernel has cached all text of the file in huge pages.  */
static bool
cmd_prime_prime_file (const char *name)
{
  struct primed primed;
  bool good = prime_file (name, &primed);
  if (primed.blocks > 0)
    terminal_say (stdout, 4, "%s: %zu of " COUNT_FORMAT " huge, %zu before",
                  primed.path, primed.after, COUNT (primed.blocks, "block"),
                  primed.before);
  if (!good)
    {
      output_flush ();
      fprintf (stderr, "hugetext prime: %s: %s\n", primed.path,
               primed.problem.text);
    }
  return good;
}

/* Make the kernel use huge pages to cache all files below the directory NAME,
   whose descriptor is FD.  Return true if the directory could be read.  */
static bool
prime_tree (int fd, const char *name)
{
  struct primed_directory sum;
  char mapped[128] = "";
  prime_directory (fd, name, &sum);
  close (fd);
  if (problem_is (&sum.problem))
    {
      output_flush ();
      fprintf (stderr, "hugetext prime: %s: %s\n", name, sum.problem.text);
      return false;
    }
  if (sum.mapped > 0)
    snprintf (mapped, sizeof mapped,
              "; " COUNT_FORMAT
              " %s not primed again, because processes have %s mapped",
              COUNT (sum.mapped, "file"),
              count_word (sum.mapped, "was", "were"),
              count_word (sum.mapped, "it", "them"));
  terminal_say (stdout, 4,
                "%s: %zu of " COUNT_FORMAT
                " huge, %zu before, in " COUNT_FORMAT "%s",
                name, sum.after, COUNT (sum.blocks, "block"), sum.before,
                COUNT (sum.files, "file"), mapped);
  return true;
}

int
command_prime (int argc, char **argv)
{
  char **files = NULL;
  bool good = true;
  options_parse (&usage, argc, argv, STATUS_USAGE, &files);
  for (char **file = files; *file != NULL; ++file)
    {
      const int directory = prime_open_directory (*file);
      good &= directory >= 0 ? prime_tree (directory, *file)
                             : cmd_prime_prime_file (*file);
    }
  return good ? STATUS_OK : STATUS_PARTLY;
}
