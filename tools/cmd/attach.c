/* "hugetext attach": put the text of processes that run on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/report.h"
#include "attach/worker.h"
#include "cmd/command.h"
#include "cmd/setting-options.h"
#include "host/chosen.h"
#include "text/json.h"
#include "util/options.h"
#include "util/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Milliseconds for which a thread is stopped at a time.  */
#define DEADLINE 10

struct options
{
  struct settings settings;
  bool undo, code, dry_run, json;
  double deadline;
  const char *service;
  char **names; /* PIDs and names, or NULL.  */
};

enum
{
  KEY_UNDO = 0x100,
  KEY_CODE,
  KEY_SERVICE,
  KEY_DEADLINE,
};

static const struct argp_option option_list[] = {
  { "service", KEY_SERVICE, "SERVICE", 0,
    "The processes of a service of systemd's", 0 },
  { "undo", KEY_UNDO, NULL, 0, "Put back what attach has replaced", 0 },
  { "jit", KEY_CODE, NULL, 0, "Code made at run time instead of text", 0 },
  { "dry-run", 'n', NULL, 0, "Only say how many blocks would be replaced", 0 },
  { "deadline", KEY_DEADLINE, "MS", 0,
    "Stop a thread for at most MS milliseconds at a time (10)", 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &setting_options, 0, NULL, 0 },
  { &options_json, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  char *end;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->settings;
      state->child_inputs[1] = &options->json;
      return 0;
    case KEY_SERVICE:
      options->service = arg;
      return 0;
    case KEY_UNDO:
      options->undo = true;
      return 0;
    case KEY_CODE:
      options->code = true;
      return 0;
    case 'n':
      options->dry_run = true;
      return 0;
    case KEY_DEADLINE:
      options->deadline = strtod (arg, &end);
      if (end == arg || *end != '\0' || !(options->deadline >= 0.1)
          || options->deadline > 10000)
        options_fail ("--deadline=%s: must be a number of milliseconds, 0.1"
                      " to 10000",
                      arg);
      return 0;
    case ARGP_KEY_ARGS:
      options->names = options_words (state, "processes");
      return 0;
    case ARGP_KEY_END:
      if (options->names == NULL && options->service == NULL)
        options_fail ("which process? hugetext attach [OPTION...]"
                      " PID|NAME..., or --service=SERVICE");
      if (options->undo && options->code)
        options_fail ("--undo with --jit: what the kernel has gathered stays");
      if (hugetext_takes_pool (settings_value (&options->settings,
                                               SETTING_BACKING)))
        options_fail ("--backing=hugetlb: must be auto, file, store or thp"
                      " for a process that runs");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "PID|NAME...",
  .doc = "Put the text of processes that run on huge pages, whatever has"
         " loaded it. One thread is stopped for some milliseconds; the process"
         " goes on as it was, also if hugetext is killed."
         "\vThe exit status is 0, 1 if a process could not be changed or text"
         " of it stays on small pages for want of huge ones, 2 if an option"
         " is wrong.",
};

/* What there is to say in the end.  */
struct output
{
  struct json_object *processes, *problems;
  bool first;
};

static void
say_problem (struct output *output, const struct process *process,
             const char *name, const char *problem)
{
  json_object_array_add (output->problems,
                         json_problem (process, name, problem));
  output_flush ();
  if (process != NULL && process->name[0] != '\0')
    fprintf (stderr, "hugetext attach: %d (%s): %s\n", (int)process->pid,
             process->name, problem);
  else
    fprintf (stderr, "hugetext attach: %s: %s\n", name, problem);
}

/* Report what has become of ALL, of which a problem has been SAID.  */
static bool
report (const struct options *options, struct output *output,
        const struct conversion *all, bool said)
{
  struct object_list objects;
  const unsigned int how = (options->undo ? ATTACH_UNDO : 0)
                           | (options->dry_run ? ATTACH_DRY_RUN : 0);
  if (objtext_read (all->pid, 0, &objects) < 0)
    {
      if (!said)
        say_problem (output, &all->found.process, NULL, "it has ended");
      return false;
    }
  if (!options->json && !output->first)
    putchar ('\n');
  output->first = false;
  bool good = attach_report (all, how, &objects,
                             options->json ? output->processes : NULL);
  objtext_free (&objects);
  return good;
}

/* Attach to PID, which was asked for as NAME.  */
static bool
attach (const struct options *options, struct output *output, pid_t pid,
        const char *name)
{
  struct conversion all;
  const char *problem
      = convert_plan (&all, pid, &options->settings, options->undo);
  if (problem == NULL && options->code)
    problem = convert_code_plan (&all);
  if (problem == NULL && !options->dry_run)
    problem = options->code ? convert_code (&all)
                            : worker_do (&all, options->undo,
                                         options->deadline);
  bool good = problem == NULL;
  if (problem != NULL)
    say_problem (output, &all.found.process, name, problem);
  if (problem == NULL || all.stops > 0)
    good = report (options, output, &all, !good) && good;
  convert_free (&all);
  return good;
}

/* Attach to the processes of SERVICE, or if that is NULL to those that NAME
   means.  */
static bool
attach_chosen (const struct options *options, struct output *output,
               const char *name, const char *service)
{
  pid_t *list;
  size_t count;
  const char *said = service != NULL ? service : name;
  const char *problem = chosen_processes (name, service, &list, &count);
  bool good = problem == NULL;
  if (!good)
    say_problem (output, NULL, said, problem);
  for (size_t i = 0; i < count; i++)
    good = attach (options, output, list[i], said) && good;
  free (list);
  return good;
}

/* Of the JSON: keys may be added to a version, but none goes, and none
   changes what it means.  */
#define VERSION 1

int
command_attach (int argc, char **argv)
{
  struct options options = { .deadline = DEADLINE };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  struct output output = { .processes = json_object_new_array (),
                           .problems = json_object_new_array (),
                           .first = true };
  bool good = true;
  /* On a busy machine a thread would wait for us.  */
  setpriority (PRIO_PROCESS, 0, -20);
  if (options.service != NULL)
    good = attach_chosen (&options, &output, NULL, options.service);
  for (char **name = options.names; name != NULL && *name != NULL; name++)
    good = attach_chosen (&options, &output, *name, NULL) && good;

  struct json_object *all = json_object_new_object ();
  json_set_number (all, "version", VERSION);
  json_object_object_add (all, "processes", output.processes);
  json_object_object_add (all, "problems", output.problems);
  if (options.json)
    json_print (stdout, all, false);
  else
    json_object_put (all);
  return good ? STATUS_OK : STATUS_PARTLY;
}
