/* "hugetext disable": what was enabled is as before.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It goes by the files, not by what they are about: the unit or the program
   may be gone.  */

#include "apply.h"
#include "bound.h"
#include "command.h"
#include "dropin.h"
#include "entry.h"
#include "options.h"
#include "store-refresh.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options
{
  bool restart;
  char **words;
};

enum
{
  KEY_RESTART = 0x100,
};

static const struct argp_option option_list[] = {
  { "restart", KEY_RESTART, NULL, 0, "Restart SERVICE, if it is up", 0 },
  { "dry-run", 'n', NULL, 0, "Only say what would be done", 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  (void)arg;
  switch (key)
    {
    case KEY_RESTART:
      options->restart = true;
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
  .args_doc = "SERVICE|PROGRAM",
  .doc = "Undo what hugetext enable has done for SERVICE or PROGRAM."
         "\vThe exit status is 0, 1 if it could not be done, 2 if an option is"
         " wrong.",
};

static const char *subject;

#define fail(...) apply_fail ("disable", subject, __VA_ARGS__)

/* The name that WORD was enabled by, in static memory; NULL if it can be
   none.  UP gets whether it is a service that runs.  */
static const char *
find_name (const char *word, bool *up)
{
  static char name[PATH_MAX];
  *up = false;
  if (strchr (word, '/') != NULL)
    return realpath (word, name) != NULL ? name : word;
  const char *given = unit_name (word);
  struct unit unit;
  if (given == NULL || !unit_systemd_runs ()
      || unit_read (given, &unit) != NULL)
    return given;
  *up = unit_is_up (&unit);
  snprintf (name, sizeof name, "%s", unit.id);
  unit_free (&unit);
  return name;
}

/* Remove the files for NAME, a unit if SERVICE.  */
static const char *
remove_files (const char *name, bool service)
{
  const char *problem = change_remove (entry_file (name));
  if (problem == NULL)
    problem = apply_index ();
  if (!service)
    return problem;
  /* Whatever is wrong with the settings of others.  */
  const char *other
      = dropin_is_foreign (name) ? NULL : change_remove (dropin_file (name));
  change_remove_folder (dropin_folder (name));
  if (other == NULL)
    other = apply_units ();
  if (!change_is_simulated ())
    bound_remove (name);
  return problem != NULL ? problem : other;
}

int
command_disable (int argc, char **argv)
{
  struct options options = { 0 };
  struct entry entry;
  bool up;
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  subject = options.words[0];
  if (options.words[1] != NULL)
    usage_fail (STATUS_USAGE, "%s: one service or program at a time",
                options.words[1]);
  if (geteuid () != 0 && !change_is_simulated ())
    return fail ("this takes root; --dry-run does not");
  const char *problem = apply_lock ();
  if (problem != NULL)
    return fail ("%s", problem);

  const char *name = find_name (subject, &up);
  if (name == NULL)
    return fail ("no unit can have this name; a program is named by its"
                 " path");
  bool service = name[0] != '/';
  if (entry_read (name, &entry))
    entry_free (&entry);
  else if (errno != ENOENT)
    return fail ("%s: it is not by hugetext enable, or about something else",
                 entry_file (name));
  else if (!service || access (dropin_file (name), F_OK) < 0
           || dropin_is_foreign (name))
    return fail ("it is not enabled; hugetext list shows what is");

  problem = remove_files (name, service);
  if (problem != NULL)
    return fail ("%s", problem);
  if (store_has_list (name) && !change_is_simulated ())
    printf ("%s: its images in the store are there until: hugetext store gc\n",
            name);
  if (up && options.restart)
    {
      problem = apply_restart (name);
      if (problem != NULL)
        return fail ("%s", problem);
    }
  else if (up && !change_is_simulated ())
    printf ("%s: it runs as before until: systemctl restart %s\n", name, name);
  return STATUS_OK;
}
