/* "hugetext measure": whether a command is faster with huge text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "measure/measure.h"
#include "util/options.h"
#include "util/output.h"

#include <stdio.h>
#include <stdlib.h>

struct options
{
  struct measurement measurement;
  const char *base, *with, *loader;
  bool json, stand_in;
};

enum
{
  KEY_BASE = 0x100,
  KEY_NUMBER,
  KEY_ROUNDS,
  KEY_STAND_IN,
  KEY_WITH,
};

static const struct argp_option option_list[] = {
  { "rounds", KEY_ROUNDS, "N", 0, "Run both so often; default 20", 0 },
  { "with", KEY_WITH, "SETTING", 0, "What to compare; default \"on\"", 0 },
  { "base", KEY_BASE, "SETTING", 0,
    "What it is compared with; default \"stock\"", 0 },
  { "number", KEY_NUMBER, NULL, 0, "Compare the number that COMMAND prints",
    0 },
  /* Events that all machines have, for tests.  */
  { "stand-in", KEY_STAND_IN, NULL, OPTION_HIDDEN, NULL, 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &options_json, 0, NULL, 0 },
  { &options_loader, 0, NULL, 0 },
  { 0 },
};

/* The number of rounds that ARG is.  */
static size_t
take_rounds (const char *arg)
{
  char *end;
  unsigned long value = strtoul (arg, &end, 10);
  if (arg[0] < '0' || arg[0] > '9' || *end != '\0' || value < MEASURE_LEAST
      || value > MEASURE_MOST)
    options_fail ("--rounds=%s: must be a number from %d to %d", arg,
                  MEASURE_LEAST, MEASURE_MOST);
  return value;
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->json;
      state->child_inputs[1] = &options->loader;
      return 0;
    case KEY_ROUNDS:
      options->measurement.rounds = take_rounds (arg);
      return 0;
    case KEY_BASE:
      options->base = arg;
      return 0;
    case KEY_WITH:
      options->with = arg;
      return 0;
    case KEY_NUMBER:
      options->measurement.number = true;
      return 0;
    case KEY_STAND_IN:
      options->stand_in = true;
      return 0;
    case ARGP_KEY_ARGS:
      options->measurement.command = state->argv + state->next;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_NO_ARGS:
      options_fail ("what is to be measured? hugetext measure [OPTION...]"
                    " COMMAND [ARG...]");
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "[--] COMMAND [ARG...]",
  .doc
  = "Run COMMAND under the stock loader and on huge text, in turn, and say"
    " whether there is a difference, how large, and how sure."
    "\vA SETTING is stock, or some of on (as hugetext run), off, code, a"
    " backing, max=N and pad=BYTES, with commas. The exit status is"
    " COMMAND's if not 0; else 0, 1 if something failed, 2 for a wrong"
    " option, 126, 127.",
};

/* Set CONTENDER to WORDS, the argument of OPTION.  */
static void
parse_contender (struct contender *contender, const char *option,
                 const char *words)
{
  const char *problem = contender_parse (contender, words);
  if (problem != NULL)
    options_fail ("--%s=%s: %s", option, words, problem);
}

int
command_measure (int argc, char **argv)
{
  struct options *options = calloc (1, sizeof *options);
  struct launch launch;
  if (options == NULL)
    {
      fprintf (stderr, "%s: no memory\n", argv[0]);
      return STATUS_PARTLY;
    }
  options->base = "stock";
  options->with = "on";
  options->measurement.rounds = 20;
  options_parse (&argp, argc, argv, STATUS_USAGE, options);
  struct measurement *m = &options->measurement;
  parse_contender (&m->contenders[0], "base", options->base);
  parse_contender (&m->contenders[1], "with", options->with);
  int status = launch_find (&launch, argv[0], m->command);
  if (status != 0)
    return status;
  launch_choose_way (&launch, options->loader);
  launch_hold (&launch);
  for (size_t c = 0; c < 2; c++)
    if (!contender_prepare (&m->contenders[c], &launch))
      {
        launch_say ("no memory");
        return STATUS_PARTLY;
      }
  counters_find (&m->counters, options->stand_in);
  status = measure (m);
  if (status != 0)
    return status;
  (options->json ? measure_json : measure_show) (stdout, m);
  return output_flush () ? STATUS_OK : STATUS_PARTLY;
}
