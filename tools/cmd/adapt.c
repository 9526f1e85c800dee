/* "hugetext adapt": repeatedly put the hottest text of a running process on
   huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "adapt/adapt.h"
#include "attach/attach.h"
#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "heat/profile.h"
#include "host/adaptive.h"
#include "host/selection.h"
#include "host/unitname.h"
#include "run/held.h"
#include "run/launch.h"
#include "run/supervise.h"
#include "util/options.h"
#include "util/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct options
{
  struct adapt_request request;
  char **words; /* The PID of the process to adapt, or the words of the command
                   to run.  The member is NULL if the user has given neither a
                   PID nor a command.  */
};

enum
{
  SECONDS = 10, /* The default number of seconds that each round samples.  In
                   ten seconds a busy processor gives about 20,000 samples; a
                   block with one thousandth of the samples then has about
                   20.  */
  AFTER = 10,   /* The default number of seconds from the start of a command to
                   the first round.  */
};

/* The default maximum CPU time of "hugetext adapt", in per cent of one
   processor.  */
#define PERCENT 0.5

static bool
cmd_adapt_take_rounds (void *field, const char *argument,
                       struct problem *problem)
{
  return take_number (field, argument, "a number of rounds", 1, 1000000,
                      problem);
}

static bool
cmd_adapt_take_percent (void *field, const char *argument,
                        struct problem *problem)
{
  return take_number (field, argument, "a percentage of one processor", 0.01,
                      100, problem);
}

static bool
take_after (void *field, const char *argument, struct problem *problem)
{
  return take_number (field, argument, "a number of seconds", 0, 86400,
                      problem);
}

static const struct command_option option_list[] = {
#define REQUEST(member) offsetof (struct options, request.member)
  { "service", 0, "SERVICE",
    "Put the hottest text of the processes of a systemd service on huge pages",
    take_word, REQUEST (service) },
  { "seconds", 0, "N",
    "Sample for N seconds in each round (default 10), and for longer after a "
    "round with too few samples",
    take_sampling_seconds, REQUEST (seconds) },
  { "after", 0, "N",
    "Wait N seconds before the first round (default: 10 for COMMAND, 0 for "
    "other processes)",
    take_after, REQUEST (after) },
  { "rounds", 0, "N", "Stop after N rounds", cmd_adapt_take_rounds,
    REQUEST (rounds) },
  { "every", 0, "N",
    "Keep running, and sample and adapt again every N seconds",
    take_sampling_seconds, REQUEST (every) },
  { "cpu", 0, "PERCENT", "Use at most PERCENT of one processor (default 0.5)",
    cmd_adapt_take_percent, REQUEST (percent) },
  { "output", 0, "DIR", "Keep profiles in DIR instead of " PROFILES_PATH,
    take_word, REQUEST (directory) },
#define SETTING_FIELD REQUEST (settings)
#include "cmd/setting-options.def"
#undef SETTING_FIELD
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "PID | [--] COMMAND [ARG...]",
  .field = offsetof (struct options, words),
  .doc
  = "Sample where a process spends its time, and put its hottest text on "
    "huge pages. If --max allows no more huge pages, put colder text back on "
    "small pages. Repeat in rounds, until two rounds in a row have changed "
    "nothing. Save the samples as a profile, from which the loader knows the "
    "hottest text at the next start.\vIf COMMAND fails, the exit status is "
    "that of COMMAND. Otherwise the exit status is 0 on success, 1 if "
    "something failed or there were too few samples, 2 if an option is "
    "wrong, 126 if COMMAND cannot be executed, 127 if COMMAND is not found.",
};

static void
cmd_adapt_print_problem (const char *name, const struct problem *problem)
{
  output_flush ();
  fprintf (stderr, "hugetext adapt: %s: %s\n", name, problem->text);
}

/* Raise this process's priority: hugetext-attach stops threads of the adapted
   process, and on a busy machine each stopped thread would wait until
   hugetext-attach gets a processor.  */
static void
raise_priority (void)
{
  setpriority (PRIO_PROCESS, 0, -20);
}

/* Start LAUNCH as a child.  Return the process ID of the child, or -1 with
   errno set.  */
static pid_t
cmd_adapt_start_child (struct launch *launch)
{
  pid_t pid;
  const int fd = held_fork (&pid);
  if (fd < 0)
    return -1;
  if (pid == 0)
    _exit (launch_execute (launch));
  supervise_signals (pid);
  /* Wait until the child calls execve, which closes the child's end of the
     pipe.  */
  held_wait (fd);
  close (fd);
  return pid;
}

/* Wait until the user's command has ended.  If the command has failed, exit
   with its status.  */
static void
wait_for_command (pid_t pid)
{
  int status;
  while (waitpid (pid, &status, 0) < 0)
    if (errno != EINTR)
      return;
  if (status != 0)
    end_like (status);
}

/* Open the directory for REQUEST's profiles, and create it if necessary.  On
   failure, print the reason and return false.  */
static bool
open_directory (struct adapt_request *request)
{
  struct problem problem;
  request->dir = profile_directory (request->directory, &problem);
  if (request->dir < 0)
    fprintf (stderr, "hugetext adapt: %s\n", problem.text);
  return request->dir >= 0;
}

/* Start the command in OPTIONS, and put its busiest text on huge pages while
   it runs.  Return an exit status.  */
static int
adapt_command (struct options *options, const char *caller)
{
  struct adapt_request *request = &options->request;
  struct launch launch;
  if (shared_names_other (options->words, "give its PID",
                          cmd_adapt_print_problem))
    return STATUS_NOT_FOUND;
  const int status = launch_find (&launch, caller, options->words);
  if (status != 0)
    return status;
  if (!open_directory (request))
    return STATUS_PARTLY;
  launch.way = LAUNCH_PLAIN;
  if (request->after < 0)
    request->after = AFTER;
  request->child = cmd_adapt_start_child (&launch);
  if (request->child < 0)
    {
      struct problem problem;
      problem_system (&problem, errno);
      cmd_adapt_print_problem (options->words[0], &problem);
      return STATUS_PARTLY;
    }
  raise_priority ();
  const bool good = adapt (request);
  wait_for_command (request->child);
  return good ? STATUS_OK : STATUS_PARTLY;
}

/* Return true if the process that REQUEST names exists.  If the process does
   not exist, print the reason and return false.  */
static bool
is_running (const struct adapt_request *request)
{
  struct problem problem;
  pid_t *list;
  size_t count;
  if (!selected_processes (request->process, request->service, &list, &count,
                           &problem))
    {
      cmd_adapt_print_problem (request->service != NULL ? request->service
                                                        : request->process,
                               &problem);
      return false;
    }
  free (list);
  return true;
}

/* If root has adapted a service, note the success for "hugetext status
   --metrics".  On failure print the reason and return false.  */
static bool
note_success (const struct adapt_request *request)
{
  struct problem problem;
  const char *id
      = request->service != NULL ? unit_name (request->service) : NULL;
  if (id == NULL || geteuid () != 0 || adaptive_note_success (id, &problem))
    return true;
  cmd_adapt_print_problem (request->service, &problem);
  return false;
}

int
command_adapt (int argc, char **argv)
{
  struct options options = { .request = { .seconds = SECONDS,
                                          .after = -1,
                                          .percent = PERCENT,
                                          .directory = PROFILES_PATH,
                                          .say = cmd_adapt_print_problem } };
  struct adapt_request *request = &options.request;
  launch_keep_children ();
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  const char *word = options.words != NULL ? options.words[0] : NULL;
  if ((word != NULL) == (request->service != NULL))
    options_fail (
        "name exactly one process, command or service: use hugetext adapt "
        "[OPTION...] PID, or COMMAND [ARG...], or --service=SERVICE");
  const bool command
      = word != NULL && word[strspn (word, "0123456789")] != '\0';
  if (word != NULL && !command && options.words[1] != NULL)
    options_fail (
        "%s: only one process can be named; call \"hugetext adapt\" for each "
        "process, or name the processes' service with --service=SERVICE",
        options.words[1]);
  struct problem problem;
  if (!attach_check_backing (&request->settings, &problem))
    options_fail ("%s", problem.text);
  if (command && !selected_command (options.words, &problem))
    options_fail ("%s: %s", word, problem.text);
  if (command)
    return adapt_command (&options, argv[0]);
  request->process = word;
  if (request->after < 0)
    request->after = 0;
  /* Make the directory only if there is a process to adapt, so that a call
     that adapts no process leaves no empty directory.  */
  if (!is_running (request) || !open_directory (request))
    return STATUS_PARTLY;
  raise_priority ();
  const bool good = adapt (request);
  return good && note_success (request) ? STATUS_OK : STATUS_PARTLY;
}
