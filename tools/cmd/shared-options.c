/* Options that several verbs have: options that set tunables, and the option
   --dry-run of verbs that change the system.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/shared-options.h"
#include "host/selection.h"
#include "object/program.h"
#include "sample/sample.h"
#include "trust/change.h"
#include "util/options.h"

#include <stdlib.h>
#include <string.h>

/* For each setting, a function that checks and stores the argument of the
   setting's option.  An argument is valid if it is a valid value of the
   setting's tunable.  */
#define HUGETEXT_SETTING(id, ...)                                      \
  bool shared_take_##id (void *settings, const char *argument,         \
                         struct problem *problem)                      \
  {                                                                    \
    return settings_parse (settings, SETTING_##id, argument, problem); \
  }
#include "dl-hugetext-settings.def"

bool
take_sampling_seconds (void *field, const char *argument,
                       struct problem *problem)
{
  return take_number (field, argument, "a number of seconds", 0.1,
                      PROFILE_SECONDS_MOST, problem);
}

/* Only trust/change.h needs to know whether the user has given the option
   --dry-run, because all changes of the system go through trust/change.h,
   which skips changes in a dry run.  */

bool
take_dry_run (void *field, const char *argument, struct problem *problem)
{
  (void) field;
  (void) argument;
  (void) problem;
  change_simulate ();
  return true;
}

void
options_for_services (const char *option, bool given, char **words)
{
  for (; given && *words != NULL; ++words)
    if (strchr (*words, '/') != NULL)
      options_fail ("%s is a program, but %s works only for services", *words,
                    option);
}

bool
shared_names_other (char **words, const char *remedy,
                    void (*say) (const char *name,
                                 const struct problem *problem))
{
  struct problem problem;
  pid_t pid;
  char *file = words[1] == NULL ? program_find (words[0]) : NULL;
  const enum selected_kind kind = words[1] == NULL && file == NULL
                                      ? selected_kind (words[0], &pid)
                                      : SELECTED_NOTHING;
  free (file);
  if (kind == SELECTED_SERVICE)
    problem_set (&problem, "there is no such command; %s",
                 selected_hint (words[0], SELECTED_BY_OPTION));
  else if (kind == SELECTED_PROCESS)
    problem_set (&problem,
                 "there is no such command, but process %d has this name: %s",
                 (int) pid, remedy);
  else
    return false;
  say (words[0], &problem);
  return true;
}
