/* "hugetext guard": what systemd runs before an enabled service starts, and
   packages to try their loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/unit.h"
#include "service/service.h"
#include "util/options.h"

#include <stdio.h>
#include <stdlib.h>

struct options
{
  const char *loader;
  const char *tried; /* A loader that is to be tried.  */
  const char *under; /* The loader that is on trial,  */
  long time;         /* and for how many milliseconds.  */
  bool inside;       /* We are what runs under it.  */
  char **words;
};

enum
{
  KEY_TRY = 0x100,
  KEY_UNDER,
  KEY_TIME,
  KEY_TRIED,
};

static const struct argp_option option_list[] = {
  { "try", KEY_TRY, "FILE", OPTION_HIDDEN, NULL, 0 },
  { "under", KEY_UNDER, "FILE", OPTION_HIDDEN, NULL, 0 },
  { "time", KEY_TIME, "TIME", OPTION_HIDDEN, NULL, 0 },
  { "tried", KEY_TRIED, NULL, OPTION_HIDDEN, NULL, 0 },
  { 0 },
};

static const struct argp_child children[] = {
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
      state->child_inputs[0] = &options->loader;
      return 0;
    case KEY_TRY:
      options->tried = arg;
      return 0;
    case KEY_UNDER:
      options->under = arg;
      return 0;
    case KEY_TIME:
      options->time = strtol (arg, NULL, 10);
      return 0;
    case KEY_TRIED:
      options->inside = true;
      return 0;
    case ARGP_KEY_ARGS:
      options->words = options_words (state, "unit");
      return 0;
    case ARGP_KEY_NO_ARGS:
      if (options->tried == NULL && options->under == NULL
          && !options->inside)
        options_fail ("for which unit? hugetext guard UNIT");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "UNIT",
  .doc = "Put a copy of the loader where the drop-in of UNIT binds it, if the"
         " loader can take the place of the system's: it is for this libc, and"
         " a program runs under it. systemd runs this when UNIT starts; it"
         " never fails.",
};

int
command_guard (int argc, char **argv)
{
  struct options options = { .tried = NULL };
  struct problem problem;
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  if (options.inside)
    return service_trial_program ();
  if (options.under != NULL)
    return service_enter_trial (options.under, options.time);
  if (options.tried != NULL)
    {
      if (service_try (options.tried, 0, &problem))
        return STATUS_OK;
      fprintf (stderr, "hugetext guard: %s: %s\n", options.tried,
               problem.text);
      return STATUS_PARTLY;
    }
  const char *unit = unit_name (options.words[0]);
  if (unit == NULL || options.words[1] != NULL)
    usage_fail (STATUS_USAGE, "%s: must be one name of a unit",
                options.words[0]);
  service_guard (unit, options.loader);
  return STATUS_OK;
}
