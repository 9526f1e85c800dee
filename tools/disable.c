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
#include "inspect.h"
#include "loader.h"
#include "options.h"
#include "store-refresh.h"
#include "unit.h"

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
  { "restart", KEY_RESTART, NULL, 0,
    "Restart SERVICE, if it runs under ld-hugetext.so", 0 },
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
  .args_doc = "SERVICE|PROGRAM...",
  .doc = "Undo what hugetext enable has done for SERVICE or PROGRAM."
         "\vThe exit status is 0, 1 if it could not be done, 2 if an option is"
         " wrong.",
};

static const char *subject;

#define fail(...) apply_fail ("disable", subject, __VA_ARGS__)

/* The name that WORD was enabled by, in static memory; NULL if it can be
   none.  UNIT gets the service; its ID is "" if there is none.  */
static const char *
find_name (const char *word, struct unit *unit)
{
  static char name[PATH_MAX];
  unit->id[0] = '\0';
  if (strchr (word, '/') != NULL)
    return realpath (word, name) != NULL ? name : word;
  const char *given = unit_name (word);
  if (given == NULL || !unit_systemd_runs ()
      || unit_read (given, unit) != NULL)
    {
      unit->id[0] = '\0';
      return given;
    }
  snprintf (name, sizeof name, "%s", unit->id);
  return name;
}

/* Whether a process of UNIT runs under our loader where that is not the
   system's.  */
static bool
runs_ours (const struct unit *unit)
{
  pid_t *list;
  bool ours = false;
  size_t n = loader_is_ours (loader_system ()) ? 0
                                               : unit_processes (unit, &list);
  for (size_t i = 0; i < n && !ours; i++)
    {
      struct inspection found;
      if (inspect (list[i], 0, &found) != NULL)
        continue;
      const char *loader = inspect_loader (&found);
      ours = loader != NULL && strcmp (loader, "ld-hugetext") == 0;
      inspect_free (&found);
    }
  if (n > 0)
    free (list);
  return ours;
}

/* Remove the files for NAME, a unit if SERVICE.  */
static const char *
remove_files (const char *name, bool service)
{
  const char *problem = change_remove (entry_file (name));
  if (problem == NULL && (change_is_done () || !change_is_simulated ()))
    problem = apply_index ();
  if (!service)
    return problem;
  /* Whatever is wrong with the settings of others.  */
  const char *other
      = dropin_is_foreign (name) ? NULL : change_remove (dropin_file (name));
  change_remove_folder (dropin_folder (name));
  if (other == NULL && change_is_done ())
    other = apply_units ();
  if (!change_is_simulated ())
    bound_remove (name);
  return problem != NULL ? problem : other;
}

/* Say which settings go with ENTRY: whoever enables it again may want
   them.  */
static void
say_settings (const struct entry *entry)
{
  for (size_t i = 0; i < entry->settings.count; i++)
    if (strcmp (entry->settings.names[i], "hugetext = on") != 0)
      printf ("%s: it had %s\n", entry->name, entry->settings.names[i]);
}

/* Restart UNIT if need be, which has just been DISABLED or was before.  */
static const char *
restart (const struct options *options, const struct unit *unit,
         bool disabled)
{
  if (!unit_is_up (unit) || (!disabled && !runs_ours (unit)))
    return NULL;
  if (options->restart)
    return apply_restart (unit->id);
  if (!change_is_simulated ())
    printf ("%s: it runs as before until: systemctl restart %s\n", unit->id,
            unit->id);
  return NULL;
}

/* Disable NAME, a service if UNIT has an ID.  */
static int
disable_name (const struct options *options, const char *name,
              const struct unit *unit)
{
  struct entry entry;
  const bool service = name[0] != '/';
  const bool was = entry_read (name, &entry);
  if (was)
    {
      say_settings (&entry);
      entry_free (&entry);
    }
  else if (errno != ENOENT)
    return fail ("%s: it is not by hugetext enable, or about something else",
                 entry_file (name));
  else if (service ? unit->id[0] == '\0' : access (name, F_OK) < 0)
    {
      if (!service || access (dropin_file (name), F_OK) < 0)
        return fail ("there is no such %s, and it is not enabled",
                     service ? "unit" : "program");
    }

  /* Also where it was disabled before: it may have been half done.  */
  const char *problem = remove_files (name, service);
  char first[1024] = "";
  if (problem != NULL)
    snprintf (first, sizeof first, "%s", problem);
  bool done = was || change_is_done ();
  if (!done && problem == NULL)
    printf ("%s: it is not enabled\n", name);
  if (done && store_has_list (name) && !change_is_simulated ())
    printf ("%s: its images in the store are there until: hugetext store gc\n",
            name);
  problem = unit->id[0] != '\0' ? restart (options, unit, done) : NULL;
  if (first[0] != '\0')
    return fail ("%s", first);
  return problem != NULL ? fail ("%s", problem) : STATUS_OK;
}

static int
disable (const struct options *options, const char *word)
{
  struct unit unit;
  subject = word;
  const char *name = find_name (word, &unit);
  if (name == NULL)
    return fail ("no unit can have this name; a program is named by its"
                 " path");
  int status = disable_name (options, name, &unit);
  if (unit.id[0] != '\0')
    unit_free (&unit);
  change_keep ();
  return status;
}

int
command_disable (int argc, char **argv)
{
  struct options options = { 0 };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  subject = options.words[0];
  if (geteuid () != 0 && !change_is_simulated ())
    return fail ("this takes root; --dry-run does not");
  const char *problem = apply_lock ();
  if (problem != NULL)
    return fail ("%s", problem);
  int status = STATUS_OK;
  for (char **word = options.words; *word != NULL; word++)
    if (disable (&options, *word) != STATUS_OK)
      status = STATUS_PARTLY;
  return status;
}
