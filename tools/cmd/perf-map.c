/* "hugetext perf-map": tell perf the names of functions whose text is a copy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/selection.h"
#include "perfmap/perfmap.h"
#include "util/options.h"
#include "util/output.h"

#include <stdio.h>
#include <stdlib.h>

struct options
{
  const char *service;
  char **names;
};

static const struct command_option option_list[] = {
  { "service", 0, "SERVICE",
    "Write the maps of all processes of a systemd service", take_word,
    offsetof (struct options, service) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "PID|NAME...",
  .words = "processes",
  .field = offsetof (struct options, names),
  .doc = "Write the names of functions in copied text to /tmp/perf-PID.map. "
         "perf and other profilers look up names in this map for code that is "
         "not mapped from a file. The command keeps the lines that the map "
         "already has. If the process later opens more libraries, run "
         "hugetext perf-map again to add the names of their functions.\vThe "
         "exit status is 0 on success, 1 if the file of a process could not "
         "be written, 2 if an option is wrong.",
};

/* Write perf maps (/tmp/perf-PID.map) for the processes of SERVICE.  If
   SERVICE is NULL, write the maps for the processes that have the name NAME.
   Return true if the perf maps of all selected processes could be written.  */
static bool
write_selected (const char *name, const char *service)
{
  pid_t *list;
  size_t count;
  struct problem problem = { .text = "" };
  bool good = selected_processes (name, service, &list, &count, &problem);
  if (!good)
    {
      output_flush ();
      fprintf (stderr, "hugetext perf-map: %s: %s\n",
               service != NULL ? service : name, problem.text);
    }
  for (size_t i = 0; i < count; ++i)
    if (!perfmap_write (list[i], &problem)
        && !selected_has_gone (list, count, i))
      {
        good = false;
        output_flush ();
        fprintf (stderr, "hugetext perf-map: %d: %s\n", (int) list[i],
                 problem.text);
      }
  free (list);
  return good;
}

int
command_perf_map (int argc, char **argv)
{
  struct options options = { .names = NULL };
  bool good = true;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if (options.names == NULL && options.service == NULL)
    options_fail ("no process is named: use hugetext perf-map PID|NAME..., or "
                  "--service=SERVICE");
  if (options.service != NULL)
    good = write_selected (NULL, options.service);
  for (char **name = options.names; name != NULL && *name != NULL; ++name)
    good &= write_selected (*name, NULL);
  return good ? STATUS_OK : STATUS_PARTLY;
}
