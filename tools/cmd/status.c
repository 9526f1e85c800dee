/* "hugetext status": how much of the text of processes is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/selection.h"
#include "status/status.h"
#include "text/report.h"
#include "util/options.h"
#include "util/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether NAME can be a file that the textfile collector reads.  */
static bool
is_metrics_file (const char *name)
{
  size_t length = strlen (name);
  return length > 5 && strcmp (name + length - 5, ".prom") == 0;
}

static const char *
take_metrics (void *field, const char *argument)
{
  struct status_options *options = field;
  options->metrics = true;
  options->file = argument;
  if (argument != NULL && !is_metrics_file (argument))
    return ("the name of a file that ends in .prom: the collector reads no"
            " others");
  return NULL;
}

static const char *
take_no_scan (void *field, const char *argument)
{
  (void) argument;
  *(unsigned int *) field = OBJTEXT_NO_SCAN;
  return NULL;
}

static const struct command_option option_list[] = {
  { "all", 0, NULL, "List every process, not only a screen", take_flag,
    offsetof (struct status_options, all) },
  { "metrics", 0, "[FILE.prom",
    "Print sums for Prometheus, or write them to FILE.prom", take_metrics, 0 },
  { "service", 0, "SERVICE", "Look at a service of systemd's", take_word,
    offsetof (struct status_options, service) },
  { "services", 0, NULL, "Sum up by service", take_flag,
    offsetof (struct status_options, services) },
  { "no-pagemap-scan", 0, NULL, NULL, take_no_scan,
    offsetof (struct status_options, flags) },
  OPTION_JSON (offsetof (struct status_options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[PID|NAME...]",
  .words = "processes",
  .field = offsetof (struct status_options, names),
  .doc = "Print how much text of processes is on huge pages, as the kernel has"
         " it: object by object for those named, else a table of the machine's"
         " processes or services, most text on small pages first."
         "\vOf text in use, share is how much is on huge pages; what has not"
         " been touched is on neither kind. The exit status is 0, 1 if a"
         " process or service named could not be read, 2 if an option is"
         " wrong.",
};

/* End with a line if OPTIONS do not go together.  */
static void
check_options (const struct status_options *options)
{
  bool named = options->names != NULL || options->service != NULL;
  if (options->metrics && (named || options->json))
    options_fail (
        "--metrics: the sums are of the whole machine; must be without"
        " processes, --service and --json");
  if (options->services && named)
    options_fail ("--services: are those of the machine; must be without"
                  " processes and --service");
}

static void
print_setting (void *closure, const char *problem, const char *right)
{
  (void) closure;
  printf ("GLIBC_TUNABLES: %s; must be %s\n", problem, right);
}

/* Print the objects of process PID, which the user named NAME.  False if that
   is not possible.  */
static bool
show_process (const struct status_options *options,
              struct status_output *output, pid_t pid, const char *name)
{
  struct inspection found;
  struct cost cost;
  const char *problem = inspect (pid, options->flags, &found);
  if (problem != NULL)
    {
      const char *known = found.process.name;
      answer_problem (&output->answer, &found.process,
                      known[0] != '\0' ? known : name, problem);
      return false;
    }

  status_count (output, &found, &cost);
  if (options->json)
    json_object_array_add (output->processes,
                           status_process_json (&found, &cost));
  else
    {
      if (!output->first)
        putchar ('\n');
      output->first = false;
      inspect_heading (stdout, &found);
      inspect_settings (&found, print_setting, NULL);
      struct settings settings;
      inspect_read_settings (&found, &settings);
      settings_show (stdout, &settings);
      if ((settings_value (&settings, SETTING_MODE) & SETTINGS_CODE) != 0
          && strcmp (inspect_loader (&found), "ld-hugetext") == 0
          && !inspect_follows_code (&found))
        puts ("code made at run time is left alone: hugetext-code.so is not"
              " in the process (LD_DEBUG=files says why)");
      report_objects (stdout, &found.objects);
      report_cost (stdout, "", &cost);
    }
  inspect_free (&found);
  return true;
}

/* Show the processes of SERVICE, or if SERVICE is NULL those that NAME names.
   Return whether all could be read.  */
static bool
show_selected (const struct status_options *options,
               struct status_output *output, const char *name,
               const char *service)
{
  const char *said = service != NULL ? service : name;
  pid_t *list;
  size_t count;
  const char *problem = selected_processes (name, service, &list, &count);
  bool good = problem == NULL;
  if (!good)
    answer_problem (&output->answer, NULL, said, problem);
  for (size_t i = 0; i < count; ++i)
    good &= show_process (options, output, list[i], said);
  free (list);
  return good;
}

int
command_status (int argc, char **argv)
{
  struct status_options options = { .all = false };
  struct status_output output;
  bool good = true;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  check_options (&options);
  status_begin (&options, &output);
  if (options.service != NULL)
    good &= show_selected (&options, &output, NULL, options.service);
  for (char **name = options.names; name != NULL && *name != NULL; ++name)
    good &= show_selected (&options, &output, *name, NULL);
  if (options.service == NULL && options.names == NULL)
    good &= status_machine (&options, &output);
  good &= status_end (&options, &output, output.totals.all.processes > 1);
  return good ? STATUS_OK : STATUS_PARTLY;
}
