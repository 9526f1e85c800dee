/* "hugetext guard": check that a loader works.  systemd runs this verb before
   it starts an enabled service.  Packages run the verb when they are
   installed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "host/unit.h"
#include "service/service.h"
#include "util/options.h"

#include <stdio.h>
#include <unistd.h>

struct options
{
  const char *loader;
  const char *tried; /* The loader to try (the option --try).  */
  const char *under; /* The loader with which this process must run the trial
                        program, or NULL.  */
  bool inside;       /* True if this process was started under the loader that
                        the guard tries.  */
  char **words;
};

static const struct command_option option_list[] = {
  { "try", 0, "FILE", NULL, take_word, offsetof (struct options, tried) },
  { "under", 0, "FILE", NULL, take_word, offsetof (struct options, under) },
  { "tried", 0, NULL, NULL, take_flag, offsetof (struct options, inside) },
  OPTION_LOADER (offsetof (struct options, loader)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "UNIT",
  .words = "unit",
  .field = offsetof (struct options, words),
  .doc = "Test ld-hugetext.so before UNIT starts. systemd runs this command "
         "before each start of an enabled UNIT. If the loader was built for "
         "the installed libc, and a trial program runs under this loader, "
         "make a symbolic link to the loader. The drop-in of UNIT mounts the "
         "target of the link over the system's loader. If the trial of the "
         "loader fails, UNIT starts under the system's loader. If UNIT is "
         "not enabled, do nothing.",
};

int
command_guard (int argc, char **argv)
{
  struct options options = { .tried = NULL };
  struct problem problem;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if (options.inside)
    return service_trial_program ();
  if (options.under != NULL)
    return service_enter_trial (options.under);
  if (options.tried != NULL)
    {
      if (service_try (options.tried, &problem))
        return STATUS_OK;
      fprintf (stderr, "hugetext guard: %s: %s\n", options.tried,
               problem.text);
      return STATUS_PARTLY;
    }
  if (options.words == NULL)
    options_fail ("no unit is named: use hugetext guard UNIT");
  const char *unit = unit_name (options.words[0]);
  if (unit == NULL || options.words[1] != NULL)
    options_fail ("%s: must be the name of one unit", options.words[0]);
  if (geteuid () != 0)
    {
      fprintf (stderr, "hugetext guard: %s: only root can do this\n", unit);
      return STATUS_PARTLY;
    }
  return service_guard (unit, options.loader) ? STATUS_OK : STATUS_PARTLY;
}
