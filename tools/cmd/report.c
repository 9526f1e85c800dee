/* "hugetext report": write an HTML page about a process or a service.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/selection.h"
#include "page/page.h"
#include "util/options.h"
#include "util/output.h"

#include <stdio.h>
#include <stdlib.h>

struct options
{
  const char *service;
  char **words;
};

static const struct command_option option_list[] = {
  { "service", 0, "SERVICE", "Show the processes of a systemd service",
    take_word, offsetof (struct options, service) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "PID|SERVICE|NAME",
  .words = "process or service",
  .field = offsetof (struct options, words),
  .doc
  = "Print an HTML report about the text of a process, or of all processes of "
    "a systemd service. The report shows each program and library as a bar of "
    "blocks. A block is the address range that one huge page can cover. The "
    "report marks the huge blocks, and shows their backing. The report also "
    "says how much memory the text takes, why blocks are on small pages, and "
    "what would make them huge. The report loads nothing from the network and "
    "has no scripts.\vThe exit status is 0 on success, 1 if a process could "
    "not be read, 2 if an option is wrong.",
};

int
command_report (int argc, char **argv)
{
  struct options options = { .words = NULL };
  pid_t *list;
  size_t count;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  char **const words = options.words;
  const char *service = options.service;
  if (words == NULL && service == NULL)
    options_fail ("no process or service is named: use hugetext report "
                  "PID|SERVICE >FILE.html");
  if (words != NULL && (service != NULL || words[1] != NULL))
    options_fail ("%s: a report is about only one process or service",
                  words[service == NULL]);
  const char *word = service != NULL ? service : words[0];
  struct problem problem;
  if (service != NULL
          ? !selected_processes (NULL, service, &list, &count, &problem)
          : !selected_service_or_processes (word, &list, &count, &problem))
    {
      fprintf (stderr, "hugetext report: %s: %s\n", word, problem.text);
      return STATUS_PARTLY;
    }
  const bool good = page_print (stdout, word, list, count);
  free (list);
  return output_flush () && good ? STATUS_OK : STATUS_PARTLY;
}
