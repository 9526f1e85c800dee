/* "hugetext status": show how much of the text of processes is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/selection.h"
#include "status/status.h"
#include "util/options.h"

#include <stdlib.h>
#include <string.h>

struct options
{
  struct status status;
  const char *service;
  char **names;
};

static bool
take_metrics (void *field, const char *argument, struct problem *problem)
{
  struct status *status = field;
  const char *end = argument != NULL ? strrchr (argument, '.') : ".prom";
  status->metrics = true;
  status->file = argument;
  if (end == NULL || strcmp (end, ".prom") != 0)
    return problem_set (problem,
                        "a file name that ends in .prom, because Prometheus' "
                        "node exporter reads no other files");
  return true;
}

static const struct command_option option_list[] = {
  { "all", 0, NULL,
    "List each process of the machine, instead of each service", take_flag,
    offsetof (struct options, status.each) },
  { "metrics", 0, "[FILE.prom",
    "Print metrics of the machine for Prometheus, or write them to FILE.prom",
    take_metrics, offsetof (struct options, status) },
  { "service", 0, "SERVICE", "Print the processes of a systemd service",
    take_word, offsetof (struct options, service) },
  OPTION_JSON (offsetof (struct options, status.json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[PID|NAME...]",
  .words = "processes",
  .field = offsetof (struct options, names),
  .doc = "Print how much text of processes is on huge pages, according to "
         "the kernel. For one process, print a line for each program and "
         "library that it has mapped. For several processes of a service or "
         "a name, print a line for each process, and then a line for each "
         "program and library with the sums over these processes. Without "
         "names, print a table of the machine's services, sorted by the size "
         "of their text on small pages.\vThe column 'share' is the "
         "percentage of the text in use that is on huge pages. Text is in "
         "use once the process has touched it. The columns 'huge KiB' and "
         "'small KiB' count only text in use, 'text KiB' counts all text. "
         "The exit status is 0 on "
         "success, 1 if a named process or service could not be read, 2 if "
         "an option is wrong.",
};

/* Show the processes of SERVICE.  If SERVICE is NULL, show the processes that
   NAME names.  Return true if all selected processes could be read.  */
static bool
show_selected (struct status *status, const char *name, const char *service)
{
  const char *said = service != NULL ? service : name;
  pid_t *list;
  size_t count;
  struct problem problem;
  bool good = selected_processes (name, service, &list, &count, &problem);
  if (!good)
    answer_problem (&status->answer, NULL, said, problem.text);
  else if (count == 1)
    good = status_process (status, list[0], said);
  else
    good = status_several (status, list, count, said);
  free (list);
  return good;
}

int
command_status (int argc, char **argv)
{
  struct options options = { .names = NULL };
  struct status *status = &options.status;
  bool good = true;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  const bool named = options.names != NULL || options.service != NULL;
  if (status->metrics && (named || status->json))
    options_fail ("--metrics prints metrics of the whole machine, and cannot "
                  "be used with processes, --service or --json");
  if (status->each && (named || status->metrics))
    options_fail ("--all lists each process of the machine, and cannot be "
                  "used with processes, --service or --metrics");
  status_begin (status);
  if (options.service != NULL)
    good &= show_selected (status, NULL, options.service);
  for (char **name = options.names; name != NULL && *name != NULL; ++name)
    good &= show_selected (status, *name, NULL);
  if (!named)
    good &= status_machine (status);
  good &= status_end (status);
  return good ? STATUS_OK : STATUS_PARTLY;
}
