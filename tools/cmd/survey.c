/* "hugetext survey": list the running programs that would gain from huge
   text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "sample/sample.h"
#include "util/options.h"

#include <stdio.h>

struct options
{
  struct sampling sampling;
  bool json;
  char **words;
};

static const struct command_option option_list[] = {
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[SECONDS]",
  .words = "seconds",
  .field = offsetof (struct options, words),
  .doc
  = "Sample all processes for SECONDS (default 5). List the programs that "
    "would gain from text on huge pages, with the largest gain first. For "
    "each program, print its share of all samples (time), the percentage of "
    "its samples whose page is not in a simulated TLB (misses), and the "
    "size of the text that it uses. hugetext survey changes nothing on the "
    "machine.\vThe "
    "column 'worth' ranks the programs; the first program has 100. The exit "
    "status is 0 on success, 1 if sampling failed or there were too few "
    "samples, 2 if an option is wrong.",
};

int
command_survey (int argc, char **argv)
{
  struct options options = { .sampling = { .all = true, .seconds = 5 } };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  char **words = options.words;
  struct problem problem;
  if (words != NULL
      && !take_number (&options.sampling.seconds, words[0],
                       "a number of seconds", 0.1, SURVEY_SECONDS_MOST,
                       &problem))
    options_fail ("%s: must be %s", words[0], problem.text);
  if (words != NULL && words[1] != NULL)
    options_fail ("%s: only one number of seconds can be given", words[1]);
  if (sample (&options.sampling, &problem))
    return (survey (&options.sampling, options.json) ? STATUS_OK
                                                     : STATUS_PARTLY);
  fprintf (stderr, "hugetext survey: %s\n", problem.text);
  return STATUS_PARTLY;
}
