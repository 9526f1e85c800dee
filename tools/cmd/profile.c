/* "hugetext profile": sample programs, to find out in which parts of their
   text they spend their time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "heat/profile.h"
#include "host/children.h"
#include "host/selection.h"
#include "object/reason.h"
#include "run/launch.h"
#include "run/supervise.h"
#include "sample/sample.h"
#include "util/options.h"
#include "util/output.h"
#include "util/terminal.h"

#include <stdio.h>
#include <string.h>

struct options
{
  const char *process, *service, *output;
  char **command; /* The words of the command.  The member is NULL if the user
                     has given no command.  */
  struct sampling sampling;
};

enum
{
  SECONDS = 30, /* The default number of seconds for which running processes
                   are sampled.  */
};

static const struct command_option option_list[] = {
  { "pid", 'p', "PID|NAME",
    "Sample process PID and the processes that it starts from now on, or "
    "sample all processes called NAME",
    take_word, offsetof (struct options, process) },
  { "service", 0, "SERVICE", "Sample the processes of a systemd service",
    take_word, offsetof (struct options, service) },
  { "seconds", 0, "N", "Sample for N seconds", take_sampling_seconds,
    offsetof (struct options, sampling.seconds) },
  { "output", 0, "DIR", "Keep profiles in DIR instead of " PROFILES_PATH,
    take_word, offsetof (struct options, output) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[--] [COMMAND [ARG...]]",
  .field = offsetof (struct options, command),
  .doc = "Sample COMMAND and all processes that it starts, or processes that "
         "are already running. Save the samples as profiles, one for each "
         "program and library. The loader puts text with many samples on huge "
         "pages first.\vWithout --seconds, COMMAND is sampled until it ends, "
         "and running processes are sampled for 30 seconds. If COMMAND fails, "
         "the exit status is that of COMMAND. Otherwise the exit status is 0 "
         "on success, even if the samples are too few for a usable profile, "
         "1 if something failed, 2 if an option is wrong, 126 if "
         "COMMAND cannot be executed, 127 if COMMAND is not found.",
};

static void
cmd_profile_print_line (const char *name, const struct problem *problem)
{
  output_flush ();
  fprintf (stderr, "hugetext profile: %s: %s\n", name, problem->text);
}

/* Report that there are few samples of SUBJECT's text, and a possible reason.
   If the only sampled process has children, say that the children may do the
   work.  */
static void
say_few (const struct options *options, const char *subject)
{
  const struct sampling *sampling = &options->sampling;
  char children[CHILDREN_WORDS];
  struct problem problem;
  const bool none = sampling->text == 0;
  if (options->process != NULL && sampling->selected.count == 1
      && children_describe (sampling->selected.pids[0], children))
    problem_set (&problem,
                 "there are %s samples of the process's text; %s. Remedy: "
                 "sample these children with -p NAME, or their service with "
                 "--service=SERVICE",
                 none ? "no" : "few", children);
  else if (none && options->command == NULL)
    problem_set (
        &problem,
        "there are no samples of the program's text, because the "
        "process was idle. Remedy: sample the process while it is busy, or "
        "for longer with --seconds");
  else if (none)
    problem_set (&problem,
                 "there are no samples of the program's text, because the "
                 "program did not run for long enough");
  else
    return;
  cmd_profile_print_line (subject, &problem);
}

/* Print what the user must do so that the loader uses the new profiles.  The
   loader reads profiles only when a program starts.  */
static void
print_next (const struct options *options)
{
  FILE *stream = options->command != NULL ? stderr : stdout;
  char words[REASON_SIZE];
  if (options->service == NULL)
    terminal_say (stream, 4,
                  "Next: start the program again with huge text, because the "
                  "loader reads profiles only at a program's start");
  else if (reason_advise_enable (options->service, words))
    terminal_say (stream, 4, "Next: %s", words);
}

/* Sample SUBJECT with OPTIONS, and write the profiles to the directory with
   the descriptor DIR.  Return an exit status.  */
static int
profile (struct options *options, const char *subject, int dir)
{
  struct sampling *sampling = &options->sampling;
  struct problem problem;
  const bool sampled = sample (sampling, &problem);
  bool good = sampled;
  if (!sampled && problem_is (&problem))
    cmd_profile_print_line (subject, &problem);
  if (good)
    good = sample_keep (sampling, "hugetext profile", dir,
                        options->command != NULL ? stderr : stdout);
  if (sampled && sampling->text < PROFILE_SAMPLES_LEAST)
    say_few (options, subject);
  good &= !sampled || sampling->text > 0;
  if (sampled && sampling->text > 0)
    good &= sample_tell_loader ("hugetext profile", options->output);
  if (good && sampling->text >= PROFILE_SAMPLES_LEAST && !sampling->unusable
      && strcmp (options->output, PROFILES_PATH) == 0)
    print_next (options);
  sample_wait (sampling);
  if (sampling->child > 0 && sampling->status != 0)
    end_like (sampling->status);
  return good ? STATUS_OK : STATUS_PARTLY;
}

int
command_profile (int argc, char **argv)
{
  struct options options = { .output = PROFILES_PATH,
                             .sampling = { .say = cmd_profile_print_line } };
  struct sampling *sampling = &options.sampling;
  struct launch launch;
  int status = 0;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if ((options.process != NULL) + (options.service != NULL)
          + (options.command != NULL)
      != 1)
    options_fail (
        "name exactly one command, process or service: use hugetext profile "
        "[OPTION...] COMMAND [ARG...], or -p PID|NAME, or --service=SERVICE");
  const char *subject = (options.command != NULL   ? options.command[0]
                         : options.process != NULL ? options.process
                                                   : options.service);
  struct problem problem;
  bool good = true;
  if (options.command != NULL && !selected_command (options.command, &problem))
    options_fail ("%s: %s", subject, problem.text);
  if (options.command != NULL
      && shared_names_other (options.command, "use -p NAME",
                             cmd_profile_print_line))
    return STATUS_NOT_FOUND;
  if (options.command != NULL)
    {
      status = launch_find (&launch, argv[0], options.command);
      launch.way = LAUNCH_PLAIN;
      sampling->command = &launch;
    }
  else
    {
      good = selected_hold (options.process, options.service,
                            &sampling->selected, &problem);
      if (sampling->seconds == 0)
        sampling->seconds = SECONDS;
    }
  if (!good)
    cmd_profile_print_line (subject, &problem);
  if (status != 0 || !good)
    return status != 0 ? status : STATUS_PARTLY;
  /* Make the directory only now, because a call that samples nothing must not
     leave an empty directory.  */
  const int dir = profile_directory (options.output, &problem);
  if (dir < 0)
    {
      fprintf (stderr, "hugetext profile: %s\n", problem.text);
      return STATUS_PARTLY;
    }
  return profile (&options, subject, dir);
}
