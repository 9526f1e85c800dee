/* "hugetext survey": the running programs that would gain from huge text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "survey/survey.h"
#include "util/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options
{
  double seconds;
  bool json, all;
  char **words;
};

static const struct command_option option_list[] = {
  { "all", 0, NULL, "List every program", take_flag,
    offsetof (struct options, all) },
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[SECONDS]",
  .words = "seconds",
  .field = offsetof (struct options, words),
  .doc
  = "Sample all that runs, for 5 SECONDS, and list the programs that would"
    " gain from text on huge pages, best first: what part of the time"
    " they have, what share of their samples misses in a simulated TLB,"
    " and how much text they use. Nothing is changed."
    "\vworth compares programs with each other. The exit status is 0, 1 if"
    " there was nothing, or too little, to look at, 2 if an option is"
    " wrong.",
};

/* Sample for OPTIONS->seconds into SURVEY.  Return NULL, or why no process can
   be sampled.  */
static const char *
sample (const struct options *options, struct survey *survey,
        struct survey_how *how)
{
  struct profile_job job = { .all = true, .seconds = options->seconds };
  struct profile_counts counts;
  profile_counts_begin (&counts);
  counts.witness = &survey->witness;
  const char *problem = profile_sample (&job, &counts);
  how->seconds = job.time;
  how->event = job.event;
  how->own = job.own;
  survey->failed |= counts.failed;
  profile_counts_free (&counts);
  return problem;
}

int
command_survey (int argc, char **argv)
{
  struct options options = { .seconds = 5 };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  char **words = options.words;
  if (words != NULL
      && (words[1] != NULL
          || !take_number (&options.seconds, words[0], 0.1, 600)))
    options_fail ("%s%s: must be one number of seconds, 0.1 to 600", words[0],
                  words[1] != NULL ? " ..." : "");

  struct survey survey;
  struct survey_how how = { .all = options.all };
  survey_begin (&survey);
  const char *problem = sample (&options, &survey, &how);
  if (problem == NULL)
    {
      survey_look (&survey);
      survey_rank (&survey, PROFILE_RATE);
      (options.json ? survey_print_json : survey_print) (&survey, &how);
    }
  if (problem == NULL && survey.failed)
    problem = strerror (ENOMEM);
  if (problem != NULL)
    fprintf (stderr, "hugetext survey: %s\n", problem);
  bool good = problem == NULL && survey.count > 0 && !survey.too_few;
  survey_free (&survey);
  return good ? STATUS_OK : STATUS_PARTLY;
}
