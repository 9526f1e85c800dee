/* "hugetext measure": whether a command is faster with huge text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "measure/measure.h"
#include "util/options.h"
#include "util/output.h"

#include <stdio.h>

struct options
{
  struct measurement measurement;
  const char *base, *with, *loader;
  bool json;
};

static const char *
take_rounds (void *field, const char *argument)
{
  double value;
  if (!take_number (&value, argument, MEASURE_LEAST, MEASURE_MOST)
      || value != (size_t) value)
    return "a number from 8 to 200";
  *(size_t *) field = value;
  return NULL;
}

static const struct command_option option_list[] = {
  { "rounds", 0, "N", "Run both so often; default 20", take_rounds,
    offsetof (struct options, measurement.rounds) },
  { "with", 0, "SETTING", "What to compare; default \"on\"", take_word,
    offsetof (struct options, with) },
  { "base", 0, "SETTING", "What it is compared with; default \"stock\"",
    take_word, offsetof (struct options, base) },
  { "number", 0, NULL, "Compare the number that COMMAND prints", take_flag,
    offsetof (struct options, measurement.number) },
  OPTION_LOADER (offsetof (struct options, loader)),
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[--] COMMAND [ARG...]",
  .field = offsetof (struct options, measurement.command),
  .missing = "what is to be measured? hugetext measure [OPTION...]"
             " COMMAND [ARG...]",
  .doc
  = "Run COMMAND under the stock loader and on huge text, in turn, and say"
    " whether there is a difference, how large, and how sure."
    "\vA SETTING is stock, or some of on (as hugetext run), off, code, a"
    " backing, max=N and pad=BYTES, with commas. The exit status is"
    " COMMAND's if not 0; else 0, 1 if something failed, 2 for a wrong"
    " option, 126, 127.",
};

/* Set VARIANT to WORDS, the argument of OPTION.  */
static void
parse_variant (struct variant *variant, const char *option, const char *words)
{
  const char *problem = variant_parse (variant, words);
  if (problem != NULL)
    options_fail ("--%s=%s: %s", option, words, problem);
}

int
command_measure (int argc, char **argv)
{
  static struct options options = { .base = "stock", .with = "on" };
  struct measurement *m = &options.measurement;
  struct launch launch;
  m->rounds = 20;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  parse_variant (&m->variants[0], "base", options.base);
  parse_variant (&m->variants[1], "with", options.with);
  int status = launch_find (&launch, argv[0], m->command);
  if (status != 0)
    return status;
  launch_choose_way (&launch, options.loader);
  launch_try (&launch);
  status = measure (m, &launch);
  if (status != 0)
    return status;
  (options.json ? measure_json : measure_show) (stdout, m);
  return output_flush () ? STATUS_OK : STATUS_PARTLY;
}
