/* "hugetext list": what is enabled, and what has come of it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "service/service.h"
#include "util/options.h"

struct options
{
  bool json;
  const char *loader;
};

static const struct argp_child children[] = {
  { &options_json, 0, NULL, 0 },
  { &options_loader, 0, NULL, 0 },
  { 0 },
};

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
    case ARGP_KEY_ARG:
      options_fail ("%s: hugetext list takes no names", arg);
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .parser = parse_option,
  .children = children,
  .doc = "Print what hugetext enable has enabled, how many processes run it"
         " now, how much of their text in use is on huge pages, and what is"
         " the matter where that is little."
         "\vWay is how a program gets ld-hugetext.so: bound, over the system's"
         " loader, in a service; system, it is the system's loader; named, the"
         " program names it; none, it does not. The exit status is 0, 1 if"
         " something enabled does not start on huge text, 2 if an option is"
         " wrong.",
};

int
command_list (int argc, char **argv)
{
  struct options options = { .json = false };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  return service_list (options.loader, options.json);
}
