/* What systemctl says about units.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command runs systemctl instead of using D-Bus.  Every machine with
   systemd has the program systemctl, and programs may parse the output of
   "systemctl show" (systemctl(1)).  */

#include "host/systemctl.h"
#include "host/child.h"
#include "host/reader.h"
#include "util/allocate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of settings for which the members "refuses" and "outlives" of
   struct unit may stand.  */
static const char *const refusing[]
    = { "RefuseManualStart=", "RefuseManualStop=" };
static const char *const outliving[]
    = { "KillMode=process", "KillMode=none", "Delegate=" };
enum
{
  REFUSING = sizeof refusing / sizeof refusing[0],
  OUTLIVING = sizeof outliving / sizeof outliving[0],
  /* The maximum size of a list of units, in bytes.  */
  NAMES_MOST = 1 << 20,
};

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
    unit->refuses = refusing[0];
  else if (strcmp (name, "RefuseManualStop") == 0
           && strcmp (value, "yes") == 0)
    unit->refuses = refusing[1];
  else if (strncmp (name, "Root", 4) == 0 && strcmp (value, "/") != 0)
    snprintf (unit->root + strlen (unit->root),
              sizeof unit->root - strlen (unit->root), "%s", value);
  else if (strcmp (name, "KillMode") == 0 && strcmp (value, "process") == 0)
    unit->outlives = outliving[0];
  else if (strcmp (name, "KillMode") == 0 && strcmp (value, "none") == 0)
    unit->outlives = outliving[1];
  else if (strcmp (name, "Delegate") == 0 && strcmp (value, "yes") == 0)
    unit->outlives = outliving[2];
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

bool
systemctl_do (const char *const argv[], struct problem *problem)
{
  char *output;
  const bool good = run (argv, CHANGE_TIME, &output, problem);
  if (good)
    free (output);
  return good;
}

/* The question to the child: what OUTPUT, the output of systemctl, says.  */
struct question
{
  char *output;
  const char *id; /* The service that a list of services omits.  */
};

/* The numbers and truth values in struct unit.  */
#define UNIT_MEMBERS(NUMBER, FLAG) \
  FLAG (truncates)                 \
  FLAG (early)                     \
  FLAG (is_oneshot)                \
  FLAG (remains)                   \
  NUMBER (main, INT_MAX)           \
  NUMBER (restarts, INT_MAX)
MESSAGE_MEMBERS (members, struct unit, UNIT_MEMBERS)

/* The strings in struct unit.  */
#define UNIT_STRINGS(STRING) \
  STRING (id)                \
  STRING (load)              \
  STRING (active)            \
  STRING (result)            \
  STRING (command)           \
  STRING (group)             \
  STRING (root)

/* Append NAMES, which may be NULL, to MESSAGE.  */
static void
put_names (struct message *message, const char *names)
{
  message_put_text (message, names != NULL ? names : "");
}

/* Read names from MESSAGE.  Return NULL if there are none.  */
static char *
get_names (struct message *message)
{
  char *names = message_get_new_text (message, NAMES_MOST);
  if (names[0] != '\0')
    return names;
  free (names);
  return NULL;
}

/* Return 1 plus the index of NAME in the COUNT NAMES, or 0 if NAME is
   NULL.  */
static size_t
index_of (const char *name, const char *const names[], size_t count)
{
  size_t i = 0;
  while (name != NULL && i < count && names[i] != name)
    ++i;
  return name != NULL ? i + 1 : 0;
}

static void
put_unit (struct message *message, const struct unit *unit)
{
#define PUT_STRING(member) message_put_text (message, unit->member);
  UNIT_STRINGS (PUT_STRING)
  put_members (message, unit);
  /* A limit of -1 means that there is none.  */
  message_put_number (message, unit->start_limit + 1);
  put_names (message, unit->parts);
  put_names (message, unit->starts);
  put_names (message, unit->starters);
  message_put_number (message, index_of (unit->refuses, refusing, REFUSING));
  message_put_number (message,
                      index_of (unit->outlives, outliving, OUTLIVING));
}

/* Read UNIT from MESSAGE.  Return false if MESSAGE cannot be right.  */
static bool
get_unit (struct message *message, struct unit *unit)
{
#define GET_STRING(member) \
  message_get_text (message, unit->member, sizeof unit->member);
  UNIT_STRINGS (GET_STRING)
  get_members (message, unit);
  unit->start_limit = (long) message_get_number (message, INT_MAX) - 1;
  unit->parts = get_names (message);
  unit->starts = get_names (message);
  unit->starters = get_names (message);
  const size_t refuses = message_get_number (message, REFUSING);
  const size_t outlives = message_get_number (message, OUTLIVING);
  unit->refuses = refuses > 0 ? refusing[refuses - 1] : NULL;
  unit->outlives = outlives > 0 ? outliving[outlives - 1] : NULL;
  return message_is_done (message);
}

/* In the child: answer what OUTPUT says about a unit.  */
static void
answer_unit (const struct reader_file *file, const void *asked,
             struct message *answer)
{
  struct unit unit = { .start_limit = -1 };
  const struct question *question = asked;
  char *rest;
  (void) file;
  for (char *line = strtok_r (question->output, "\n", &rest); line != NULL;
       line = strtok_r (NULL, "\n", &rest))
    {
      char *value = strchr (line, '=');
      if (value != NULL)
        {
          *value = '\0';
          set_property (&unit, line, value + 1);
        }
    }
  put_unit (answer, &unit);
  free (unit.parts);
  free (unit.starts);
  free (unit.starters);
}

bool
systemctl_show (const char *name, struct unit *unit, struct problem *problem)
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
  struct question question = { .id = "" };
  struct message answer;
  struct problem why;
  if (!run (argv, ASK_TIME, &question.output, problem))
    return false;
  const bool heard = reader_ask_parser (answer_unit, &question, &answer, &why);
  free (question.output);
  const bool good = heard && get_unit (&answer, unit);
  if (heard)
    message_free (&answer);
  return good
         || problem_unknown (
             problem, "what systemctl says about the unit is unknown, "
                      "because no child process of the command can read "
                      "it");
}

/* Append to ANSWER each of NAMES, and free NAMES.  */
static void
put_list (struct message *answer, struct file_list *names)
{
  message_put_number (answer, names->count);
  for (size_t i = 0; i < names->count; ++i)
    message_put_text (answer, names->names[i]);
  file_list_free (names);
}

/* Run systemctl with ARGV, let a child find names in its output by WORK, and
   add them to NAMES.  Omit the service ID.  */
static void
list (const char *const argv[], reader_work *work, const char *id,
      struct file_list *names)
{
  struct question question = { .id = id };
  struct message answer;
  struct problem problem;
  if (!run (argv, ASK_TIME, &question.output, &problem))
    return;
  const bool heard = reader_ask_parser (work, &question, &answer, &problem);
  free (question.output);
  if (!heard)
    return;
  const size_t count = message_get_count (&answer, sizeof (uint64_t));
  for (size_t i = 0; i < count; ++i)
    {
      char name[NAME_MAX + 1];
      message_get_printable (&answer, name, sizeof name);
      if (name[0] != '\0' && !file_list_has (names, name))
        file_list_add (names, name);
    }
  message_free (&answer);
}

/* In the child: answer which services systemctl lists.  */
static void
answer_services (const struct reader_file *file, const void *asked,
                 struct message *answer)
{
  const struct question *question = asked;
  struct file_list names = { 0 };
  char *rest;
  (void) file;
  for (char *line = strtok_r (question->output, "\n", &rest); line != NULL;
       line = strtok_r (NULL, "\n", &rest))
    {
      char *fields;
      const char *name = strtok_r (line, " ", &fields);
      const char *load = strtok_r (NULL, " ", &fields);
      /* systemd also lists units that do not exist but that other units
         name.  */
      if (name != NULL && (load == NULL || strcmp (load, "not-found") != 0))
        file_list_add (&names, name);
    }
  put_list (answer, &names);
}

void
systemctl_services (struct file_list *names)
{
  static const char *const argv[]
      = { "systemctl",   "list-units", "--all",          "--plain",
          "--no-legend", "--no-pager", "--type=service", NULL };
  list (argv, answer_services, "", names);
}

/* Add to NAMES the services in LINE, a property of "systemctl show" with names
   of units.  Omit the service ID.  */
static void
add_services (char *line, const char *id, struct file_list *names)
{
  char *rest, *all = strchr (line, '=');
  for (char *name = strtok_r (all != NULL ? all + 1 : line, " ", &rest);
       all != NULL && name != NULL; name = strtok_r (NULL, " ", &rest))
    {
      const char *suffix = strrchr (name, '.');
      if (suffix != NULL && strcmp (suffix, ".service") == 0
          && strcmp (name, id) != 0 && !file_list_has (names, name))
        file_list_add (names, name);
    }
}

/* In the child: answer which services the properties of a unit name.  */
static void
answer_related (const struct reader_file *file, const void *asked,
                struct message *answer)
{
  const struct question *question = asked;
  struct file_list names = { 0 };
  char *rest;
  (void) file;
  for (char *line = strtok_r (question->output, "\n", &rest); line != NULL;
       line = strtok_r (NULL, "\n", &rest))
    if (strncmp (line, "RequiredBy=", 11) == 0
        || strncmp (line, "BoundBy=", 8) == 0
        || strncmp (line, "ConsistsOf=", 11) == 0)
      add_services (line, question->id, &names);
  put_list (answer, &names);
}

void
systemctl_related (const char *name, const char *properties, const char *id,
                   struct file_list *names)
{
  const char *const argv[]
      = { "systemctl", "show", "--no-pager", properties, "--", name, NULL };
  list (argv, answer_related, id, names);
}
