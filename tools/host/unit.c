/* systemd units, as systemctl describes them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command runs systemctl instead of using D-Bus.  Every machine with
   systemd has the program systemctl, and programs may parse the output of
   "systemctl show" (systemctl(1)).  */

#include "host/unit.h"
#include "host/brief.h"
#include "host/child.h"
#include "host/process.h"
#include "util/allocate.h"
#include "util/similar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
unit_systemd_runs (void)
{
  /* sd_booted(3) of systemd uses the same test.  */
  return access ("/run/systemd/system", F_OK) == 0;
}

const char *
unit_name (const char *name)
{
  static const char characters[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        ":-_.\\@";
  static const char suffixes[] = ".service.socket.timer.path.target.mount"
                                 ".device.automount.swap.slice.scope.";
  static char full[NAME_MAX + 1];
  char suffix[NAME_MAX + 2] = "";
  size_t length = strlen (name);
  if (length == 0 || name[0] == '-' || name[0] == '.'
      || strspn (name, characters) != length
      || length + sizeof ".service" > sizeof full)
    return NULL;
  strcpy (full, name);
  if (strrchr (name, '.') != NULL)
    snprintf (suffix, sizeof suffix, "%s.", strrchr (name, '.'));
  if (strlen (suffix) > 2 && strstr (suffixes, suffix) != NULL)
    return full;
  return strcat (full, ".service");
}

/* VALUE is ExecStart= in the format of "systemctl show": "{ path=FILE ;
   argv[]=...".  Copy the path of the program to TO.  */
static void
copy_command (const char *value, char to[static PATH_MAX])
{
  const char *path = strstr (value, "path=");
  const char *end = path != NULL ? strstr (path, " ; ") : NULL;
  if (end != NULL && to[0] == '\0')
    snprintf (to, PATH_MAX, "%.*s", (int) (end - path - 5), path + 5);
}

/* Return the whole seconds of SPAN, a time span as "systemctl show" prints it,
   for example "1min 30s".  Return -1 if SPAN is infinity or has a unit of more
   than an hour.  */
static long
read_seconds (const char *span)
{
  static const struct
  {
    const char *name;
    long seconds;
  } units[]
      = { { "us", 0 }, { "ms", 0 }, { "s", 1 }, { "min", 60 }, { "h", 3600 } };
  long sum = 0;
  while (*span != '\0')
    {
      char *end;
      const long number = strtol (span, &end, 10);
      const size_t length = strcspn (end, " ");
      size_t i = 0;
      while (i < sizeof units / sizeof *units
             && (strlen (units[i].name) != length
                 || strncmp (units[i].name, end, length) != 0))
        ++i;
      if (i == sizeof units / sizeof *units)
        return -1;
      sum += number * units[i].seconds;
      span = end + length + strspn (end + length, " ");
    }
  return sum;
}

/* Set *TO to a copy of VALUE, the names of units, unless VALUE is "".  */
static void
copy_names (const char *value, char **to)
{
  if (value[0] != '\0' && *to == NULL)
    *to = strdup (value);
}

/* Set the property NAME of UNIT to VALUE.  */
static void
set_property (struct unit *unit, const char *name, const char *value)
{
  const struct
  {
    const char *name;
    char *to;
    size_t size;
  } strings[] = {
    { "Id", unit->id, sizeof unit->id },
    { "LoadState", unit->load, sizeof unit->load },
    { "ActiveState", unit->active, sizeof unit->active },
    { "Result", unit->result, sizeof unit->result },
    { "ControlGroup", unit->group, sizeof unit->group },
  };
  for (size_t i = 0; i < sizeof strings / sizeof *strings; ++i)
    if (strcmp (name, strings[i].name) == 0)
      snprintf (strings[i].to, strings[i].size, "%s", value);
  if (strcmp (name, "ExecStart") == 0)
    copy_command (value, unit->command);
  else if (strcmp (name, "ConsistsOf") == 0)
    copy_names (value, &unit->parts);
  else if (strcmp (name, "Triggers") == 0)
    copy_names (value, &unit->starts);
  else if (strcmp (name, "TriggeredBy") == 0)
    copy_names (value, &unit->starters);
  else if (strcmp (name, "DefaultDependencies") == 0)
    unit->early = strcmp (value, "no") == 0;
  else if (strcmp (name, "Type") == 0)
    unit->is_oneshot = strcmp (value, "oneshot") == 0;
  else if (strcmp (name, "RemainAfterExit") == 0)
    unit->remains = strcmp (value, "yes") == 0;
  else if (strcmp (name, "RefuseManualStart") == 0
           && strcmp (value, "yes") == 0)
    unit->refuses = "RefuseManualStart=";
  else if (strcmp (name, "RefuseManualStop") == 0
           && strcmp (value, "yes") == 0)
    unit->refuses = "RefuseManualStop=";
  else if (strncmp (name, "Root", 4) == 0 && strcmp (value, "/") != 0)
    snprintf (unit->root + strlen (unit->root),
              sizeof unit->root - strlen (unit->root), "%s", value);
  else if (strcmp (name, "KillMode") == 0 && strcmp (value, "process") == 0)
    unit->outlives = "KillMode=process";
  else if (strcmp (name, "KillMode") == 0 && strcmp (value, "none") == 0)
    unit->outlives = "KillMode=none";
  else if (strcmp (name, "Delegate") == 0 && strcmp (value, "yes") == 0)
    unit->outlives = "Delegate=";
  else if (strcmp (name, "StandardOutput") == 0
           || strcmp (name, "StandardError") == 0)
    unit->truncates |= strncmp (value, "truncate", 8) == 0;
  else if (strcmp (name, "TimeoutStartUSec") == 0)
    unit->start_limit = read_seconds (value);
  else if (strcmp (name, "NRestarts") == 0)
    unit->restarts = strtol (value, NULL, 10);
  else if (strcmp (name, "MainPID") == 0)
    unit->main = strtol (value, NULL, 10);
}

enum
{
  /* The time limits for systemctl, in seconds: for questions, and for changes.
     systemd itself limits the time in which a service starts or stops, to 90
     seconds by default.  */
  ASK_TIME = 60,
  CHANGE_TIME = 3600,
};

/* Run systemctl with the arguments ARGV, whose first word is "systemctl", for
   at most SECONDS.  Store systemctl's output in *OUTPUT; the caller frees it.
   In a chroot systemctl does nothing and succeeds, so first check that systemd
   runs.  */
static bool
run (const char *const argv[], int seconds, char **output,
     struct problem *problem)
{
  if (!unit_systemd_runs ())
    return problem_set (problem, UNIT_NO_SYSTEMD);
  int status = child_run (argv, seconds, output);
  if (status == 0)
    return true;
  if (status < 0 && errno == ETIME)
    return problem_set (problem, "systemctl took more than %d s", seconds);
  if (status < 0)
    problem_errno (problem, "systemctl");
  else
    problem_set (problem, "systemctl: %.*s", (int) strcspn (*output, "\n"),
                 *output);
  free (*output);
  return false;
}

void
unit_list_services (struct file_list *names)
{
  struct problem problem;
  static const char *const argv[]
      = { "systemctl",   "list-units", "--all",          "--plain",
          "--no-legend", "--no-pager", "--type=service", NULL };
  char *output, *rest;
  if (!run (argv, ASK_TIME, &output, &problem))
    return;
  for (char *line = strtok_r (output, "\n", &rest); line != NULL;
       line = strtok_r (NULL, "\n", &rest))
    {
      char *fields;
      const char *name = strtok_r (line, " ", &fields);
      const char *load = strtok_r (NULL, " ", &fields);
      /* systemd also lists units that do not exist but that other units
         name.  */
      if (name != NULL && (load == NULL || strcmp (load, "not-found") != 0))
        file_list_add (names, name);
    }
  free (output);
}

/* Set PROBLEM to a message that there is no unit NAME.  The message lists
   services with similar names.  Return false.  */
static bool
say_missing (const char *name, struct problem *problem)
{
  struct file_list names = { 0 };
  char similar[NAME_MAX * 4];
  unit_list_services (&names);
  similar_names (name, &names, "; units with similar names: ", similar,
                 sizeof similar);
  file_list_free (&names);
  return problem_set (problem, "there is no such system unit%s", similar);
}

bool
unit_read (const char *name, struct unit *unit, struct problem *problem)
{
  const char *const argv[]
      = { "systemctl",
          "show",
          "--no-pager",
          "--property=Id,LoadState,ActiveState,Result,ControlGroup,ConsistsOf,"
          "ExecStart,RootDirectory,RootImage,NRestarts,KillMode,Delegate,"
          "MainPID,TimeoutStartUSec,Type,RemainAfterExit,Triggers,TriggeredBy,"
          "DefaultDependencies,RefuseManualStart,RefuseManualStop,"
          "StandardOutput,StandardError",
          "--",
          name,
          NULL };
  char *output, *rest;
  *unit = (struct unit){ .start_limit = -1 };
  if (!run (argv, ASK_TIME, &output, problem))
    return false;
  for (char *line = strtok_r (output, "\n", &rest); line != NULL;
       line = strtok_r (NULL, "\n", &rest))
    {
      char *value = strchr (line, '=');
      if (value != NULL)
        {
          *value = '\0';
          set_property (unit, line, value + 1);
        }
    }
  free (output);
  if (unit->id[0] != '\0' && !unit_is_missing (unit))
    return true;
  unit_free (unit);
  return say_missing (name, problem);
}

void
unit_free (struct unit *unit)
{
  free (unit->parts);
  free (unit->starts);
  free (unit->starters);
  unit->parts = unit->starts = unit->starters = NULL;
}

bool
unit_is_missing (const struct unit *unit)
{
  return strcmp (unit->load, "not-found") == 0;
}

bool
unit_is_up (const struct unit *unit)
{
  return (strcmp (unit->active, "active") == 0
          || strcmp (unit->active, "activating") == 0
          || strcmp (unit->active, "reloading") == 0);
}

/* Add to NAMES the services in LINE, a property of "systemctl show" with names
   of units.  Omit the service ID.  */
static void
add_services (char *line, const char *id, struct file_list *names)
{
  char *rest, *list = strchr (line, '=');
  for (char *name = strtok_r (list != NULL ? list + 1 : line, " ", &rest);
       list != NULL && name != NULL; name = strtok_r (NULL, " ", &rest))
    {
      const char *suffix = strrchr (name, '.');
      if (suffix != NULL && strcmp (suffix, ".service") == 0
          && strcmp (name, id) != 0 && !file_list_has (names, name))
        file_list_add (names, name);
    }
}

/* Add to NAMES the services in PROPERTIES of the unit NAME, without the
   service ID.  */
static void
list_property (const char *name, const char *properties, const char *id,
               struct file_list *names)
{
  const char *const argv[]
      = { "systemctl", "show", "--no-pager", properties, "--", name, NULL };
  struct problem problem;
  char *output, *rest;
  if (!run (argv, ASK_TIME, &output, &problem))
    return;
  for (char *line = strtok_r (output, "\n", &rest); line != NULL;
       line = strtok_r (NULL, "\n", &rest))
    if (strncmp (line, "RequiredBy=", 11) == 0
        || strncmp (line, "BoundBy=", 8) == 0
        || strncmp (line, "ConsistsOf=", 11) == 0)
      add_services (line, id, names);
  free (output);
}

/* Return true if the unit NAME is running or starting.  If the state of the
   unit is unknown, return true.  */
static bool
is_up (const char *name)
{
  struct unit unit;
  struct problem problem;
  if (!unit_read (name, &unit, &problem))
    return true;
  const bool up = unit_is_up (&unit);
  unit_free (&unit);
  return up;
}

void
unit_list_clients (const struct unit *unit, struct file_list *names)
{
  struct file_list all = { 0 }, restarted = { 0 };
  char *words;
  char *copy = unit->starters != NULL ? strdup (unit->starters) : NULL;
  for (char *name = copy != NULL ? strtok_r (copy, " ", &words) : NULL;
       name != NULL; name = strtok_r (NULL, " ", &words))
    list_property (name, "--property=RequiredBy,BoundBy", unit->id, &all);
  free (copy);
  if (all.count > 0)
    list_property (unit->id, "--property=RequiredBy,BoundBy,ConsistsOf",
                   unit->id, &restarted);
  for (size_t i = 0; i < all.count; ++i)
    if (!file_list_has (&restarted, all.names[i]) && is_up (all.names[i]))
      file_list_add (names, all.names[i]);
  file_list_free (&all);
  file_list_free (&restarted);
}

bool
unit_do (const char *verb, const char *name, struct problem *problem)
{
  const char *const argv[]
      = { "systemctl", "--no-pager", "--no-ask-password", verb, name, NULL };
  char *output;
  bool good = run (argv, CHANGE_TIME, &output, problem);
  if (good)
    free (output);
  return good;
}

/* Return true if the process of FOUND is in the control group GROUP, or in a
   group below it.  */
static bool
is_in_group (const struct brief *found, const char *group)
{
  const size_t length = strlen (group);
  const char rest = strncmp (found->group, group, length) == 0
                        ? found->group[length]
                        : '?';
  return found->state == BRIEF_READ && (rest == '\0' || rest == '/');
}

ssize_t
unit_processes (const struct unit *unit, pid_t **list, struct problem *problem)
{
  struct problem why = { 0 };
  ssize_t count = 0;
  *list = NULL;
  if (unit->group[0] == '\0' || strcmp (unit->group, "/") == 0)
    return 0;
  struct brief *found = allocate (BRIEF_MANY * sizeof *found);
  const ssize_t n = process_list (list);
  if (n < 0)
    problem_errno (&why, "/proc");
  for (ssize_t i = 0, k; i < n; i += k)
    {
      k = brief_ask_many (*list + i, n - i, found, &why);
      for (ssize_t j = 0; j < k; ++j)
        if (is_in_group (&found[j], unit->group))
          (*list)[count++] = found[j].process.pid;
    }
  free (found);
  if (count > 0 || !problem_is (&why))
    return count;
  problem_set (problem, "it is unknown which processes the service has: %s",
               why.text);
  return -1;
}
