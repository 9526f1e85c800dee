/* Services of systemd, as systemctl describes them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command asks systemctl, not the bus: systemctl is there where systemd
   is, and its output is for programs, too (systemctl(1), "show").  */

#include "host/unit.h"
#include "host/child.h"
#include "host/group.h"
#include "host/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
unit_systemd_runs (void)
{
  /* sd_booted(3) looks for the same folder.  */
  return access ("/run/systemd/system", F_OK) == 0;
}

const char *
unit_name (const char *name)
{
  static const char characters[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        ":-_.\\@";
  static const char *const suffixes[]
      = { ".service", ".socket",    ".timer", ".path",  ".target", ".mount",
          ".device",  ".automount", ".swap",  ".slice", ".scope" };
  static char full[NAME_MAX + 1];
  size_t length = strlen (name);
  if (length == 0 || name[0] == '-' || name[0] == '.'
      || strspn (name, characters) != length
      || length + sizeof ".service" > sizeof full)
    return NULL;
  strcpy (full, name);
  const char *suffix = strrchr (name, '.');
  for (size_t i = 0; suffix != NULL && i < sizeof suffixes / sizeof *suffixes;
       i++)
    if (strcmp (suffix, suffixes[i]) == 0)
      return full;
  return strcat (full, ".service");
}

/* Cut TEXT after its first line, and return it; OTHERWISE if it is empty.  */
static const char *
first_line (char *text, const char *otherwise)
{
  text[strcspn (text, "\n")] = '\0';
  return text[0] != '\0' ? text : otherwise;
}

/* Copy the program of ExecStart=, in the form of "systemctl show", "{
   path=FILE ; argv[]=...", to TO.  */
static void
copy_command (const char *value, char to[static PATH_MAX])
{
  const char *path = strstr (value, "path=");
  const char *end = path != NULL ? strstr (path, " ; ") : NULL;
  if (end != NULL && to[0] == '\0')
    snprintf (to, PATH_MAX, "%.*s", (int) (end - path - 5), path + 5);
}

/* Restore backslashes in VALUE, words with blanks between them: systemctl
   doubles them, or writes a number, and may quote such words.  */
static void
unescape (char *value)
{
  char *to = value;
  for (const char *p = value; *p != '\0'; ++p)
    if (*p != '"')
      {
        *to++ = *p;
        if (strncmp (p, "\\\\", 2) == 0)
          ++p;
        else if (strncmp (p, "\\x5c", 4) == 0)
          p += 3;
      }
  *to = '\0';
}

/* Return the milliseconds of VALUE, "1min 2s 500ms", if that is less than a
   minute, else 0.  */
static long
short_time (const char *value)
{
  long sum = 0;
  while (*value != '\0')
    {
      char *end;
      long number = strtol (value, &end, 10);
      size_t length = strcspn (end, " ");
      if (end == value)
        return 0;
      if (length == 1 && end[0] == 's')
        sum += 1000 * number;
      else if (length == 2 && strncmp (end, "ms", 2) == 0)
        sum += number;
      else if (length != 2 || strncmp (end, "us", 2) != 0)
        return 0;
      value = end + length + strspn (end + length, " ");
    }
  return sum;
}

/* Set the property NAME of UNIT to VALUE.  */
static void
set_property (struct unit *unit, const char *name, char *value)
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
    { "AppArmorProfile", unit->profile, sizeof unit->profile },
    { "MemoryTHP", unit->thp, sizeof unit->thp },
  };
  const struct
  {
    const char *name;
    char **to;
  } lists[] = {
    { "BindPaths", &unit->binds },
    { "BindReadOnlyPaths", &unit->binds },
    { "TemporaryFileSystem", &unit->hidden },
    { "InaccessiblePaths", &unit->hidden },
    { "DropInPaths", &unit->dropins },
    { "ConsistsOf", &unit->parts },
    { "Triggers", &unit->triggers },
  };
  for (size_t i = 0; i < sizeof strings / sizeof *strings; ++i)
    if (strcmp (name, strings[i].name) == 0)
      snprintf (strings[i].to, strings[i].size, "%s", value);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    if (strcmp (name, lists[i].name) == 0)
      {
        char *joined = NULL, *before = *lists[i].to;
        unescape (value);
        if (asprintf (&joined, "%s%s%s", before != NULL ? before : "",
                      before != NULL ? " " : "", value)
            >= 0)
          {
            free (before);
            *lists[i].to = joined;
          }
      }
  if (strcmp (name, "ExecStart") == 0)
    copy_command (value, unit->command);
  else if (strcmp (name, "RootDirectory") == 0
           || strcmp (name, "RootImage") == 0)
    snprintf (unit->root + strlen (unit->root),
              sizeof unit->root - strlen (unit->root), "%s",
              strcmp (value, "/") != 0 ? value : "");
  else if (strcmp (name, "KillMode") == 0 && strcmp (value, "process") == 0)
    unit->outlives = "KillMode=process";
  else if (strcmp (name, "Delegate") == 0 && strcmp (value, "yes") == 0)
    unit->outlives = "Delegate=";
  else if (strcmp (name, "Transient") == 0)
    unit->transient = strcmp (value, "yes") == 0;
  else if (strcmp (name, "MemoryDenyWriteExecute") == 0)
    unit->no_exec = strcmp (value, "yes") == 0;
  else if (strcmp (name, "SystemCallFilter") == 0)
    unit->filtered = value[0] != '\0';
  else if (strcmp (name, "TimeoutStartUSec") == 0)
    unit->patience = short_time (value);
  else if (strcmp (name, "ExecMainStartTimestampMonotonic") == 0)
    unit->started = strtoll (value, NULL, 10);
  else if (strcmp (name, "NRestarts") == 0)
    unit->restarts = strtol (value, NULL, 10);
}

const char *
unit_read (const char *name, struct unit *unit)
{
  static char text[512];
  const char *const argv[]
      = { "systemctl",
          "show",
          "--no-pager",
          "--property=Id,LoadState,ActiveState,Result,ControlGroup,BindPaths,"
          "BindReadOnlyPaths,DropInPaths,ConsistsOf,Triggers,ExecStart,"
          "TemporaryFileSystem,InaccessiblePaths,"
          "RootDirectory,RootImage,Transient,NRestarts,KillMode,Delegate,"
          "AppArmorProfile,MemoryDenyWriteExecute,MemoryTHP,SystemCallFilter,"
          "TimeoutStartUSec,ExecMainStartTimestampMonotonic",
          "--",
          name,
          NULL };
  char *output;
  *unit = (struct unit){ .restarts = 0 };
  int status = child_run (argv, NULL, &output);
  if (status < 0)
    {
      snprintf (text, sizeof text, "systemctl: %s", strerror (errno));
      return text;
    }
  if (status != 0)
    {
      snprintf (text, sizeof text, "%s",
                first_line (output, "systemctl does not know it"));
      free (output);
      return text;
    }
  for (char *line = output, *next; *line != '\0'; line = next)
    {
      size_t length = strcspn (line, "\n");
      next = line + length + (line[length] == '\n');
      line[length] = '\0';
      char *value = strchr (line, '=');
      if (value != NULL)
        {
          *value = '\0';
          set_property (unit, line, value + 1);
        }
    }
  free (output);
  if (unit->id[0] != '\0' && strcmp (unit->load, "not-found") != 0)
    return NULL;
  unit_free (unit);
  return "there is no such unit (of the system's own; users' units cannot be"
         " enabled)";
}

void
unit_free (struct unit *unit)
{
  free (unit->binds);
  free (unit->hidden);
  free (unit->dropins);
  free (unit->parts);
  free (unit->triggers);
  unit->hidden = NULL;
  unit->binds = unit->dropins = unit->parts = unit->triggers = NULL;
}

bool
unit_is_up (const struct unit *unit)
{
  return (strcmp (unit->active, "active") == 0
          || strcmp (unit->active, "activating") == 0
          || strcmp (unit->active, "reloading") == 0);
}

const char *
unit_do (const char *verb, const char *name)
{
  static char text[512];
  const char *const argv[]
      = { "systemctl", "--no-pager", "--no-ask-password", verb, name, NULL };
  char *output;
  int status = child_run (argv, NULL, &output);
  if (status == 0)
    {
      free (output);
      return NULL;
    }
  if (status < 0)
    snprintf (text, sizeof text, "systemctl: %s", strerror (errno));
  else
    snprintf (text, sizeof text, "systemctl %s: %s", verb,
              first_line (output, "failed, and did not say why"));
  free (output);
  return text;
}

const char *
unit_verify (const char *name, const char *file)
{
  static char text[1024];
  const char *const argv[]
      = { "systemd-analyze", "verify", "--man=no", name, NULL };
  char *output;
  /* The exit status says nothing about drop-ins, and distributions' units have
     faults of their own.  */
  if (child_run (argv, NULL, &output) < 0)
    {
      snprintf (text, sizeof text, "systemd-analyze: %s", strerror (errno));
      return text;
    }
  const char *found = strstr (output, file);
  if (found != NULL)
    snprintf (text, sizeof text, "%.*s", (int) strcspn (found, "\n"), found);
  free (output);
  return found != NULL ? text : NULL;
}

/* Whether process PID is in the control group GROUP or below it.  */
static bool
is_in_group (pid_t pid, const char *group)
{
  char path[PATH_MAX];
  size_t length = strlen (group);
  return (group_path (pid, path) && strncmp (path, group, length) == 0
          && (path[length] == '\0' || path[length] == '/'));
}

size_t
unit_processes (const struct unit *unit, pid_t **list)
{
  size_t count = 0;
  *list = NULL;
  if (unit->group[0] == '\0' || strcmp (unit->group, "/") == 0)
    return 0;
  ssize_t n = process_list (NULL, list);
  for (ssize_t i = 0; i < n; ++i)
    if (is_in_group ((*list)[i], unit->group))
      (*list)[count++] = (*list)[i];
  return count;
}
