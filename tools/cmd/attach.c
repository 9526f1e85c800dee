/* "hugetext attach": put the text of running processes on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "host/selection.h"
#include "text/json.h"
#include "util/options.h"

#include <stdlib.h>
#include <sys/resource.h>

struct options
{
  struct attach_request request;
  bool json;
  const char *service;
  char **names; /* The PIDs and names of processes.  The member is NULL if the
                   user has named no process.  */
};

static const struct command_option option_list[] = {
  { "service", 0, "SERVICE", "Attach to the processes of a systemd service",
    take_word, offsetof (struct options, service) },
  { "undo", 0, NULL,
    "Undo an earlier hugetext attach: put the text back on small pages",
    take_flag, offsetof (struct options, request.undo) },
  { "dry-run", 'n', NULL,
    "Change nothing; print how many blocks would be put on huge pages. A "
    "block is the address range that one huge page can cover",
    take_flag, offsetof (struct options, request.dry_run) },
#define SETTING_FIELD offsetof (struct options, request.settings)
#include "cmd/setting-options.def"
#undef SETTING_FIELD
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "PID|NAME...",
  .words = "processes",
  .field = offsetof (struct options, names),
  .doc
  = "Put the text of running processes on huge pages, no matter which loader "
    "started them. The command stops one thread at a time, for some "
    "milliseconds. If the command is killed, the processes keep "
    "running.\vThe exit status is 0 on success; 1 if a process could not be "
    "changed, if text that could be huge got no huge page, or if all text of "
    "the processes is still on small pages; 2 if an option is wrong. Text "
    "that cannot be huge does not count as a failure. With --undo, the exit "
    "status is 1 if some text could not be put back on small pages. With "
    "--dry-run, the exit status is 1 only if a process could not be "
    "examined.",
};

/* Print an error and exit if OPTIONS contradict each other.  */
static void
cmd_attach_check_options (const struct options *options)
{
  if (options->names == NULL && options->service == NULL)
    options_fail ("no process is named: use hugetext attach [OPTION...] "
                  "PID|NAME..., or --service=SERVICE");
  if (options->request.undo
      && settings_have_option (&options->request.settings))
    options_fail ("--undo cannot be used with options for settings, because "
                  "--undo puts all blocks back on small pages");
  struct problem problem;
  if (!attach_check_backing (&options->request.settings, &problem))
    options_fail ("%s", problem.text);
}

/* Attach to the processes of SERVICE.  If SERVICE is NULL, attach to the
   processes that NAME names.  */
static bool
attach_selected (const struct options *options, struct attach_answer *answer,
                 const char *name, const char *service)
{
  struct selected selected;
  const char *said = service != NULL ? service : name;
  struct problem problem;
  bool good = selected_hold (name, service, &selected, &problem);
  if (!good)
    answer_problem (&answer->answer, NULL, said, problem.text);
  else
    good = attach_processes (&options->request, &selected, said, answer);
  selected_free (&selected);
  return good;
}

int
command_attach (int argc, char **argv)
{
  struct options options = { .json = false };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  cmd_attach_check_options (&options);
  struct attach_answer answer = { .printed = false };
  answer_begin (&answer.answer, "attach", options.json);
  answer.processes = answer_array (&answer.answer, "processes");
  bool good = true;
  /* Raise this process's priority, because on a busy machine a stopped thread
     would wait until this process gets a processor.  */
  setpriority (PRIO_PROCESS, 0, -20);
  if (options.service != NULL)
    good = attach_selected (&options, &answer, NULL, options.service);
  for (char **name = options.names; name != NULL && *name != NULL; ++name)
    good = attach_selected (&options, &answer, *name, NULL) && good;
  answer_end (&answer.answer);
  return good && answer.effect ? STATUS_OK : STATUS_PARTLY;
}
