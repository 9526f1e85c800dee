/* hugetext disable: a service or a program starts again as before it was
   enabled.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command uses the files, not the unit or the program, which may be
   gone.  */

#include "object/loader.h"
#include "service/parts.h"
#include "store/sync.h"
#include "text/inspect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set REPORT's name to the name by which WORD was enabled, and UNIT to the
   service; its ID is "" if there is none.  */
static bool
find (const char *word, struct unit *unit, struct service_report *report)
{
  unit->id[0] = '\0';
  if (strchr (word, '/') != NULL)
    {
      if (realpath (word, report->name) == NULL)
        snprintf (report->name, sizeof report->name, "%s", word);
      return true;
    }
  const char *given = unit_name (word);
  if (given == NULL)
    return problem_set (&report->problem, "no unit can have this name; a"
                                          " program is named by its path");
  if (!unit_systemd_runs () || unit_read (given, unit) != NULL)
    unit->id[0] = '\0';
  snprintf (report->name, sizeof report->name, "%s",
            unit->id[0] != '\0' ? unit->id : given);
  return true;
}

/* Whether a process of UNIT runs under our loader where that is not the
   system's.  */
static bool
runs_ours (const struct unit *unit)
{
  pid_t *list;
  bool ours = false;
  size_t n
      = loader_is_ours (loader_system ()) ? 0 : unit_processes (unit, &list);
  for (size_t i = 0; i < n && !ours; ++i)
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
static bool
remove_files (const char *name, bool service, struct problem *problem)
{
  struct problem other;
  bool good = problem_take (problem, change_remove (entry_file (name)));
  if (good && (change_is_done () || !change_is_simulated ()))
    good = service_index (problem);
  if (!service)
    return good;
  /* Another user's settings may be wrong.  */
  bool gone = (dropin_is_foreign (name)
               || problem_take (&other, change_remove (dropin_file (name))));
  change_remove_folder (dropin_folder (name));
  if (gone && change_is_done ())
    gone = apply_units (&other);
  if (!change_is_simulated ())
    bound_remove (name);
  if (good && !gone)
    *problem = other;
  return good && gone;
}

/* Print the settings that are removed with ENTRY: a user who enables it again
   may want them.  */
static void
say_settings (const struct entry *entry)
{
  for (size_t i = 0; i < entry->settings.count; ++i)
    if (strcmp (entry->settings.names[i], "hugetext = on") != 0)
      printf ("%s: it had %s\n", entry->name, entry->settings.names[i]);
}

/* Restart UNIT if that is needed and RESTART, else report that it is needed.
   DISABLED: it has just been disabled, not before.  */
static bool
restart_if_due (const struct unit *unit, bool restart, bool disabled,
                struct service_report *report, struct problem *problem)
{
  report->due = unit_is_up (unit) && (disabled || runs_ours (unit));
  if (!report->due)
    return true;
  if (!restart)
    {
      if (!change_is_simulated ())
        printf ("%s: it runs as before until: systemctl restart %s\n",
                unit->id, unit->id);
      return true;
    }
  bool good = apply_restart (unit->id, problem);
  report->restarted = good && !change_is_simulated ();
  if (report->restarted)
    printf ("%s: it was restarted, and runs as before\n", unit->id);
  return good;
}

/* Disable the service or program with REPORT's name; UNIT has an ID if it is a
   service.  */
static bool
disable (const struct service_options *options, const struct unit *unit,
         struct service_report *report)
{
  struct entry entry;
  struct problem *problem = &report->problem, other;
  const char *name = report->name;
  const bool service = name[0] != '/', was = entry_read (name, &entry);
  if (was)
    {
      say_settings (&entry);
      report->programs = entry.programs;
      report->settings = entry.settings;
      entry.programs = entry.settings = (struct file_list){ .count = 0 };
      entry_free (&entry);
    }
  else if (errno != ENOENT)
    return problem_set (problem,
                        "%s: it is not by hugetext enable, or about something"
                        " else",
                        entry_file (name));
  else if (service
               ? unit->id[0] == '\0' && access (dropin_file (name), F_OK) < 0
               : access (name, F_OK) < 0)
    return problem_set (problem, "there is no such %s, and it is not enabled",
                        service ? "unit" : "program");

  /* Remove files even if it was disabled before: that may have been
     interrupted.  */
  bool good = remove_files (name, service, problem);
  bool done = was || change_is_done ();
  if (good && !done)
    printf ("%s: it is not enabled\n", name);
  else if (good && !change_is_simulated ())
    printf ("%s: it is disabled\n", name);
  if (done && store_has_list (name) && !change_is_simulated ())
    printf ("%s: its images in the store are there until: hugetext store gc\n",
            name);
  if (unit->id[0] != '\0'
      && !restart_if_due (unit, options->restart, done, report, &other)
      && good)
    {
      *problem = other;
      good = false;
    }
  return good;
}

bool
service_disable (const struct service_options *options, const char *word,
                 struct service_report *report)
{
  struct unit unit;
  if (!find (word, &unit, report))
    return false;
  bool good = disable (options, &unit, report);
  if (unit.id[0] != '\0')
    unit_free (&unit);
  return good;
}
