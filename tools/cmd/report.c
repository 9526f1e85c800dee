/* "hugetext report": write an HTML page about a process or a service.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/selection.h"
#include "host/unit.h"
#include "page/page.h"
#include "util/options.h"
#include "util/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options
{
  char **words;
};

static const struct command_usage usage = {
  .arguments = "PID|SERVICE|NAME",
  .words = "process or service",
  .field = offsetof (struct options, words),
  .missing = "no process or service is named: use hugetext report PID|SERVICE "
             ">FILE.html",
  .doc
  = "Print a page of HTML about the text of a process, or of all processes of"
    " a systemd service. The page shows each program and library as a bar of "
    "blocks, and marks which blocks are huge and by which backing. The page "
    "also says how much memory the text takes, why blocks are on small pages, "
    "and what would make them huge. The page needs no network and no scripts."
    "\vThe exit status is 0 on success, 1 if a process could not be read, 2"
    " if an option is wrong.",
};

/* Whether WORD is the name of a systemd unit.  If it is not, PROBLEM says
   so.  */
static bool
is_unit (const char *word, struct problem *problem)
{
  struct unit unit;
  const char *name = unit_name (word);
  if (name == NULL)
    return problem_set (problem, UNIT_HAS_NO_SUCH_NAME);
  if (!unit_read (name, &unit, problem))
    return false;
  unit_free (&unit);
  return true;
}

/* Find the processes that WORD names.  WORD is a process ID, a systemd unit,
   or a process name.  If WORD is the name of a unit, PROBLEM is about this
   unit.  */
static bool
find (const char *word, pid_t **list, size_t *count, struct problem *problem)
{
  const bool number = word[strspn (word, "0123456789")] == '\0';
  struct problem none, not_unit;
  const bool unit = !number && is_unit (word, &not_unit);
  if ((unit && selected_processes (NULL, word, list, count, problem))
      || selected_processes (word, NULL, list, count, unit ? &none : problem))
    return true;
  if (!number && !unit)
    problem_set (problem, "%s, and %s", problem->text, not_unit.text);
  return false;
}

int
command_report (int argc, char **argv)
{
  struct options options = { .words = NULL };
  pid_t *list;
  size_t count;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if (options.words[1] != NULL)
    options_fail ("%s: a page can show only one process or service",
                  options.words[1]);
  const char *word = options.words[0];
  struct problem problem;
  if (!find (word, &list, &count, &problem))
    {
      fprintf (stderr, "hugetext report: %s: %s\n", word, problem.text);
      return STATUS_PARTLY;
    }
  const bool good = page_print (stdout, word, list, count);
  free (list);
  return output_flush () && good ? STATUS_OK : STATUS_PARTLY;
}
