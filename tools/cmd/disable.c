/* "hugetext disable": what was enabled is as before.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "service/service.h"
#include "trust/change.h"
#include "util/options.h"

struct options
{
  struct service_options service;
  bool json;
  char **words;
};

enum
{
  KEY_RESTART = 0x100,
};

static const struct argp_option option_list[] = {
  { "restart", KEY_RESTART, NULL, 0,
    "Restart SERVICE, if it runs under ld-hugetext.so", 0 },
  { "dry-run", 'n', NULL, 0, "Only say what would be done", 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &options_json, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  (void)arg;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->json;
      return 0;
    case KEY_RESTART:
      options->service.restart = true;
      return 0;
    case 'n':
      change_simulate ();
      return 0;
    case ARGP_KEY_ARGS:
      options->words = options_words (state, "service or program");
      return 0;
    case ARGP_KEY_NO_ARGS:
      options_fail ("which service or program? hugetext disable"
                    " SERVICE|PROGRAM");
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "SERVICE|PROGRAM...",
  .doc = "Undo what hugetext enable has done for SERVICE or PROGRAM."
         "\vThe exit status is 0, 1 if it could not be done, 2 if an option is"
         " wrong.",
};

int
command_disable (int argc, char **argv)
{
  struct options options = { .json = false };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  return service_each ("disable", service_disable, &options.service,
                       options.words, options.json);
}
