/* "hugetext disable": undo "hugetext enable" for a service or program.
   The change takes effect at the next start of the service or program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command looks for the files that "hugetext enable" has written, because
   the unit or the program itself may no longer exist.  */

#include "service/parts.h"
#include "store/sync.h"
#include "util/similar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Find the service or program WORD, which the user wants to disable.  Set NAME
   to the name under which WORD was enabled.  Set UNIT to the service of this
   name, or UNIT's ID to "" if there is no such service.  Set *THERE to true if
   NAME is a program that exists, otherwise to false.  */
static bool
service_disable_find_entry (const char *word, struct unit *unit,
                            char name[static PATH_MAX], bool *there,
                            struct problem *problem)
{
  struct problem ignored;
  *unit = (struct unit){ .restarts = 0 };
  if (strchr (word, '/') != NULL)
    {
      *there = program_resolve (word, name, &ignored);
      if (!*there)
        snprintf (name, PATH_MAX, "%s", word);
      return true;
    }
  const char *given = unit_name (word);
  if (given == NULL)
    return problem_set (problem,
                        UNIT_HAS_NO_SUCH_NAME "; name a program by its path");
  if (!unit_systemd_runs () || !unit_read (given, unit, problem))
    unit->id[0] = '\0';
  snprintf (name, PATH_MAX, "%s", unit->id[0] != '\0' ? unit->id : given);
  return true;
}

/* If a user has edited the file of ENTRY by hand, save a copy of the file
   under the file's name with ".old".  No hugetext command reads files whose
   names end in ".old".  */
static bool
save_edited (const struct entry *entry, struct problem *problem)
{
  char path[PATH_MAX + 8];
  if (!entry_is_edited (entry))
    return true;
  snprintf (path, sizeof path, "%s.old", entry->file);
  char *text = change_read (entry->file);
  const bool good = text != NULL ? change_write (path, text, problem)
                                 : problem_errno (problem, entry->file);
  free (text);
  if (good && !change_is_simulated ())
    printf ("%s: %s was edited by hand; a copy of the file is %s\n",
            entry->name, entry->file, path);
  return good;
}

/* Remove the files that "hugetext enable" has written for NAME.  SERVICE is
   true if NAME is a unit.  */
static bool
remove_files (const char *name, bool service, struct problem *problem)
{
  struct problem other;
  bool good = change_remove (entry_file (name), problem);
  if (good && (change_is_done () || !change_is_simulated ()))
    good = service_index (problem);
  if (!service)
    return good;
  /* Ignore errors in other settings files, because "hugetext disable" has only
     to remove the files of NAME.  */
  bool gone = (dropin_is_foreign (name)
               || change_remove (dropin_file (name), &other));
  change_remove_directory (dropin_directory (name));
  if (gone && change_is_done ())
    gone = apply_units (&other);
  if (!change_is_simulated ())
    dropin_unbind (name);
  if (good && !gone)
    *problem = other;
  return good && gone;
}

/* Return true if UNIT only groups other units, as postgresql.service does: it
   is active, but has no processes.  "hugetext enable" refuses a unit that only
   groups other units.  */
static bool
groups_units (const struct unit *unit)
{
  pid_t *list;
  size_t count;
  struct problem unknown;
  if (unit->parts == NULL || !unit_is_up (unit))
    return false;
  const bool whole = unit_processes (unit, NULL, &list, &count, &unknown);
  free (list);
  return whole && count == 0;
}

/* Set PROBLEM to a message that NAME neither exists nor is enabled.  NAME is a
   unit if SERVICE is true, otherwise a program.  The message also lists
   enabled services and programs with similar names.  Return false.  */
static bool
service_disable_set_missing (const char *name, bool service,
                             struct problem *problem)
{
  struct file_list names = { 0 };
  char similar[sizeof problem->text / 2];
  entry_list_names (&names);
  similar_names (name, &names, "; enabled with similar names: ", similar,
                 sizeof similar);
  file_list_free (&names);
  if (service && similar[0] == '\0' && !unit_systemd_runs ())
    return problem_set (problem, UNIT_NO_SYSTEMD);
  return problem_set (problem, "no %s of this name exists or is enabled%s",
                      service ? "unit" : "program", similar);
}

/* Disable NAME.  The service exists if UNIT has an ID.  THERE is true if
   NAME is the path of an existing program.  */
static bool
disable (const struct service_options *options, const struct unit *unit,
         const char *name, bool there, struct problem *problem)
{
  struct entry entry;
  if (options->restart && unit_is_up (unit)
      && !accept_restart_now (unit, problem))
    return false;
  const bool service = name[0] != '/', was = entry_read (name, &entry);
  if (was)
    {
      const bool saved = save_edited (&entry, problem);
      entry_free (&entry);
      if (!saved)
        return false;
    }
  else if (errno != ENOENT)
    return entry_problem (problem, name);
  else if (unit->id[0] == '\0'
           && (service ? access (dropin_file (name), F_OK) < 0 : !there))
    return service_disable_set_missing (name, service, problem);

  /* Remove the files even if NAME is already disabled, because an earlier
     disable may have been interrupted.  */
  const bool adaptive = service && adaptive_is_on (name);
  struct problem timer;
  const bool stopped = !adaptive || apply_adaptive_stop (name, &timer);
  bool good = remove_files (name, service, problem);
  if (good && !stopped)
    *problem = timer;
  const bool done = was || change_is_done () || (adaptive && stopped);
  good = good && stopped;
  if (good && !done && groups_units (unit))
    return problem_set (problem,
                        "this unit is not enabled itself; it groups other "
                        "units, which can be disabled: %s",
                        unit->parts);
  if (good && !change_is_simulated ())
    printf ("%s: it is %s\n", name, done ? "disabled" : "not enabled");
  if (done && store_has_list (name) && !change_is_simulated ())
    printf ("%s: the images of the service stay in the store; to remove "
            "unused images: hugetext store gc\n",
            name);
  if (!unit_is_up (unit))
    return good;
  if (options->restart)
    {
      struct problem other;
      bool started = apply_restart (unit, good ? problem : &other);
      if (started && !change_is_simulated ())
        printf ("%s: the service was restarted, and now runs as it did before "
                "hugetext enable\n",
                name);
      return good && started;
    }
  if (done && !change_is_simulated ())
    accept_say_running (unit);
  return good;
}

bool
service_disable (const struct service_options *options, const char *word,
                 struct problem *problem)
{
  struct unit unit;
  char name[PATH_MAX];
  bool there = false;
  if (!service_disable_find_entry (word, &unit, name, &there, problem))
    return false;
  bool good = disable (options, &unit, name, there, problem);
  unit_free (&unit);
  return good;
}
