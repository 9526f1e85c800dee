/* Run systemctl, and parse what it prints about units.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command runs systemctl instead of using D-Bus.  Every machine with
   systemd has the program systemctl, and programs may parse the output of
   "systemctl show" (systemctl(1)).  */

#include "host/systemctl.h"
#include "host/child.h"
#include "host/group.h"
#include "host/reader.h"
#include "util/allocate.h"
#include "util/printable.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The settings that can make systemd refuse to restart a unit (member
   "refuses" of struct unit), and the settings that let processes outlive a
   unit (member "outlives").  */
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
  /* The maximum number of services in a list.  */
  SERVICES_MOST = 1 << 13,
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

/* A property of units that "systemctl show" prints, and the function that
   stores it in a unit.  OFFSET and SIZE are those of a member of struct unit,
   or 0 if SET always sets the same member.  If the value of the property is
   WORD, set_flag sets the member to true.  */
struct property
{
  const char *name;
  void (*set) (struct unit *unit, const struct property *property,
               const char *value);
  size_t offset, size;
  const char *word;
};

/* Return the member of UNIT that belongs to PROPERTY.  */
static void *
find_member (struct unit *unit, const struct property *property)
{
  return (char *) unit + property->offset;
}

static void
set_text (struct unit *unit, const struct property *property,
          const char *value)
{
  snprintf (find_member (unit, property), property->size, "%s", value);
}

static void
set_names (struct unit *unit, const struct property *property,
           const char *value)
{
  copy_names (value, find_member (unit, property));
}

static void
set_command (struct unit *unit, const struct property *property,
             const char *value)
{
  (void) property;
  copy_command (value, unit->command);
}

static void
set_flag (struct unit *unit, const struct property *property,
          const char *value)
{
  *(bool *) find_member (unit, property) = strcmp (value, property->word) == 0;
}

static void
set_refusal (struct unit *unit, const struct property *property,
             const char *value)
{
  for (size_t i = 0; i < REFUSING; ++i)
    if (strncmp (property->name, refusing[i], strlen (property->name)) == 0
        && strcmp (value, "yes") == 0)
      unit->refuses = refusing[i];
}

/* RootDirectory= or RootImage=.  */
static void
add_root (struct unit *unit, const struct property *property,
          const char *value)
{
  const size_t length = strlen (unit->root);
  (void) property;
  if (strcmp (value, "/") != 0)
    snprintf (unit->root + length, sizeof unit->root - length, "%s", value);
}

static void
set_kill_mode (struct unit *unit, const struct property *property,
               const char *value)
{
  (void) property;
  if (strcmp (value, "process") == 0)
    unit->outlives = outliving[0];
  else if (strcmp (value, "none") == 0)
    unit->outlives = outliving[1];
}

static void
set_delegate (struct unit *unit, const struct property *property,
              const char *value)
{
  (void) property;
  if (strcmp (value, "yes") == 0)
    unit->outlives = outliving[2];
}

/* StandardOutput= or StandardError=.  */
static void
add_output (struct unit *unit, const struct property *property,
            const char *value)
{
  (void) property;
  unit->truncates |= strncmp (value, "truncate", 8) == 0;
}

static void
set_start_limit (struct unit *unit, const struct property *property,
                 const char *value)
{
  (void) property;
  unit->start_limit = read_seconds (value);
}

static void
set_restarts (struct unit *unit, const struct property *property,
              const char *value)
{
  (void) property;
  unit->restarts = strtol (value, NULL, 10);
}

static void
set_exit_status (struct unit *unit, const struct property *property,
                 const char *value)
{
  (void) property;
  unit->exit_status = strtol (value, NULL, 10);
}

/* ExecMainExitTimestampMonotonic, which is in microseconds.  */
static void
set_exited (struct unit *unit, const struct property *property,
            const char *value)
{
  (void) property;
  unit->exited = strtol (value, NULL, 10) / 1000000;
}

static void
set_main (struct unit *unit, const struct property *property,
          const char *value)
{
  (void) property;
  unit->main = strtol (value, NULL, 10);
}

/* The properties that systemctl_show asks for, and stores.  */
#define MEMBER(member) \
  offsetof (struct unit, member), sizeof ((struct unit *) NULL)->member
static const struct property properties[] = {
  { "Id", set_text, MEMBER (id), NULL },
  { "LoadState", set_text, MEMBER (load), NULL },
  { "ActiveState", set_text, MEMBER (active), NULL },
  { "Result", set_text, MEMBER (result), NULL },
  { "ControlGroup", set_text, MEMBER (group), NULL },
  { "ConsistsOf", set_names, MEMBER (parts), NULL },
  { "ExecStart", set_command, 0, 0, NULL },
  { "RootDirectory", add_root, 0, 0, NULL },
  { "RootImage", add_root, 0, 0, NULL },
  { "NRestarts", set_restarts, 0, 0, NULL },
  { "KillMode", set_kill_mode, 0, 0, NULL },
  { "Delegate", set_delegate, 0, 0, NULL },
  { "MainPID", set_main, 0, 0, NULL },
  { "TimeoutStartUSec", set_start_limit, 0, 0, NULL },
  { "Type", set_flag, MEMBER (is_oneshot), "oneshot" },
  { "RemainAfterExit", set_flag, MEMBER (remains), "yes" },
  { "Triggers", set_names, MEMBER (starts), NULL },
  { "TriggeredBy", set_names, MEMBER (starters), NULL },
  { "DefaultDependencies", set_flag, MEMBER (early), "no" },
  { "RefuseManualStart", set_refusal, 0, 0, NULL },
  { "RefuseManualStop", set_refusal, 0, 0, NULL },
  { "StandardOutput", add_output, 0, 0, NULL },
  { "StandardError", add_output, 0, 0, NULL },
  { "ExecMainStatus", set_exit_status, 0, 0, NULL },
  { "ExecMainExitTimestampMonotonic", set_exited, 0, 0, NULL },
};
#undef MEMBER
enum
{
  PROPERTIES = sizeof properties / sizeof *properties,
};

/* Set the property NAME of UNIT to VALUE.  */
static void
set_property (struct unit *unit, const char *name, const char *value)
{
  for (size_t i = 0; i < PROPERTIES; ++i)
    if (strcmp (properties[i].name, name) == 0)
      properties[i].set (unit, &properties[i], value);
}

/* Set OPTION to the option of "systemctl show" that asks for all PROPERTIES.
   Each name of a property, with its comma, fits into 32 bytes.  */
static void
list_properties (char option[static 32 * PROPERTIES])
{
  size_t n = sprintf (option, "--property=");
  for (size_t i = 0; i < PROPERTIES; ++i)
    n += sprintf (option + n, "%s%s", i > 0 ? "," : "", properties[i].name);
}

enum
{
  /* The time limits for one run of systemctl, in seconds: for a run that shows
     properties, and for a run that starts, stops or restarts units.  */
  ASK_TIME = 60,
  CHANGE_TIME = 3600,
};

/* Run systemctl with the arguments ARGV, whose first word is "systemctl", for
   at most SECONDS.  Store systemctl's output in *OUTPUT; the caller frees
   it.  First check that systemd runs, because in a chroot systemctl does
   nothing and succeeds.  */
static bool
systemctl_run_systemctl (const char *const argv[], int seconds, char **output,
                         struct problem *problem)
{
  int status = child_run (argv, seconds, output);
  if (status == 0)
    return true;
  if (status < 0 && errno == ETIME)
    return problem_set (problem, "systemctl took more than %d s",
                        child_limit ());
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
  const bool good
      = systemctl_run_systemctl (argv, CHANGE_TIME, &output, problem);
  if (good)
    free (output);
  return good;
}

/* The texts of the problem if the child that parses the output of systemctl
   gives no answer, or a wrong one.  */
#define NO_PARSER \
  "no child process of the command can read the output of systemctl"
#define WRONG_ANSWER "its answer is wrong"

/* The question to the child about OUTPUT, the output of systemctl.  */
struct question
{
  char *output;
  const char *id;         /* The service whose related services are listed.
                             The list does not contain the service itself.  */
  const char *properties; /* The names of the properties of a unit that contain
                             services, separated by commas.  */
};

/* The numbers and truth values in struct unit.  */
#define UNIT_MEMBERS(NUMBER, FLAG) \
  FLAG (truncates)                 \
  FLAG (early)                     \
  FLAG (is_oneshot)                \
  FLAG (remains)                   \
  NUMBER (main, INT_MAX)           \
  NUMBER (restarts, INT_MAX)       \
  NUMBER (exit_status, INT_MAX)    \
  NUMBER (exited, INT_MAX)
MESSAGE_MEMBERS (members, struct unit, UNIT_MEMBERS)

/* The strings in struct unit that the command prints or compares, or that an
   unprivileged process uses as a path.  */
#define UNIT_STRINGS(STRING) \
  STRING (load)              \
  STRING (active)            \
  STRING (result)            \
  STRING (command)           \
  STRING (root)

/* Append NAMES, which may be NULL, to MESSAGE.  */
static void
put_names (struct message *message, const char *names)
{
  message_put_text (message, names != NULL ? names : "");
}

/* The child parses text that an attacker may have written, so an attacker may
   control the child.  Therefore the command uses a string in the child's
   answer as a path, an argument or output only after one of the following
   functions has checked the string.  */

/* Read the name of a unit, or "", from MESSAGE.  */
static void
get_name (struct message *message, char name[static NAME_MAX + 1])
{
  message_get_text (message, name, NAME_MAX + 1);
  if (name[0] == '\0' || unit_is_full_name (name))
    return;
  message->bad = true;
  name[0] = '\0';
}

/* Return true if all words of NAMES are names of units.  */
static bool
are_names (const char *names)
{
  char *words, *copy = allocate_text (names);
  bool good = true;
  for (char *name = strtok_r (copy, " ", &words); name != NULL && good;
       name = strtok_r (NULL, " ", &words))
    good = unit_is_full_name (name);
  free (copy);
  return good;
}

/* Read names from MESSAGE.  Return NULL if there are none.  */
static char *
get_names (struct message *message)
{
  char *names = message_get_new_text (message, NAMES_MOST);
  message->bad |= !are_names (names);
  if (names[0] != '\0' && !message->bad)
    return names;
  free (names);
  return NULL;
}

/* Read the control group of a unit, or "", from MESSAGE.  systemd's names of
   groups are printable, and begin at the root of its hierarchy.  */
static void
get_group (struct message *message, char group[static PATH_MAX])
{
  message_get_text (message, group, PATH_MAX);
  if (group[0] == '\0'
      || (group_is_path (group) && strncmp (group, "/..", 3) != 0
          && is_printable (group)))
    return;
  message->bad = true;
  group[0] = '\0';
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
  message_put_text (message, unit->id);
  message_put_text (message, unit->group);
#define PUT_STRING(member) message_put_text (message, unit->member);
  UNIT_STRINGS (PUT_STRING)
  put_members (message, unit);
  /* The value -1 means that there is no time limit.  */
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
  get_name (message, unit->id);
  get_group (message, unit->group);
#define GET_STRING(member) \
  message_get_printable (message, unit->member, sizeof unit->member);
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

/* In the unprivileged child: parse the output of "systemctl show" for one
   unit, the member OUTPUT of ASKED (a struct question), and put the unit's
   properties into ANSWER.  */
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
  char option[32 * PROPERTIES];
  const char *const argv[]
      = { "systemctl", "show", "--no-pager", option, "--", name, NULL };
  struct question question = { .id = "" };
  struct message answer;
  struct problem why;
  list_properties (option);
  if (!systemctl_run_systemctl (argv, ASK_TIME, &question.output, problem))
    return false;
  const bool heard = reader_ask_parser (answer_unit, &question, &answer, &why);
  free (question.output);
  const bool good = heard && get_unit (&answer, unit);
  if (heard)
    message_free (&answer);
  return good
         || problem_unknown (
             problem,
             "the properties of the unit are unknown, because " NO_PARSER
             " (%s)",
             heard ? WRONG_ANSWER : why.text);
}

static int
systemctl_compare_names (const void *left, const void *right)
{
  return strcmp (*(char *const *) left, *(char *const *) right);
}

/* Append to ANSWER each of NAMES once, in the order of strcmp, and free
   NAMES.  */
static void
put_list (struct message *answer, struct file_list *names)
{
  size_t count = 0;
  if (names->count > 0)
    qsort (names->names, names->count, sizeof *names->names,
           systemctl_compare_names);
  for (size_t i = 0; i < names->count; ++i)
    if (i == 0 || strcmp (names->names[i], names->names[i - 1]) != 0)
      ++count;
  message_put_number (answer, count);
  for (size_t i = 0; i < names->count; ++i)
    if (i == 0 || strcmp (names->names[i], names->names[i - 1]) != 0)
      message_put_text (answer, names->names[i]);
  file_list_free (names);
}

/* Add the names in MESSAGE, each of which sorts after the one before it, to
   NAMES.  Return false if MESSAGE cannot be right.  */
static bool
systemctl_merge_names (struct message *message, struct file_list *names)
{
  char name[NAME_MAX + 1], last[NAME_MAX + 1] = "";
  const size_t count = message_get_number (message, SERVICES_MOST);
  for (size_t i = 0; i < count && !message->bad; ++i)
    {
      get_name (message, name);
      message->bad |= strcmp (last, name) >= 0;
      strcpy (last, name);
      if (!message->bad)
        file_list_add (names, name);
    }
  return message_is_done (message);
}

/* Run systemctl with the arguments ARGV, and let a child process call WORK
   with the question ASKED and the output of systemctl.  Add the names of
   services that WORK finds to NAMES.  If not all names are known, set PROBLEM
   and return false.  */
static bool
systemctl_list_units (const char *const argv[], reader_work *work,
                      const struct question *asked, struct file_list *names,
                      struct problem *problem)
{
  struct question question = *asked;
  struct message answer;
  struct problem why;
  if (!systemctl_run_systemctl (argv, ASK_TIME, &question.output, problem))
    return false;
  const bool heard = reader_ask_parser (work, &question, &answer, &why);
  free (question.output);
  const bool good = heard && systemctl_merge_names (&answer, names);
  if (heard)
    message_free (&answer);
  if (heard && !good)
    problem_set (&why, WRONG_ANSWER);
  return good || problem_from (problem, &why, NO_PARSER " (%s)", why.text);
}

/* In the unprivileged child: find the services in the output of "systemctl
   list-units", and put their names into ANSWER.  */
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
      /* systemd also lists units that do not exist but that other units name.
         Omit names that no verb of hugetext accepts.  */
      if (name != NULL && unit_is_full_name (name)
          && (load == NULL || strcmp (load, "not-found") != 0))
        file_list_add (&names, name);
    }
  put_list (answer, &names);
}

bool
systemctl_services (struct file_list *names, struct problem *problem)
{
  static const char *const argv[]
      = { "systemctl",   "list-units", "--all",          "--plain",
          "--no-legend", "--no-pager", "--type=service", NULL };
  return systemctl_list_units (argv, answer_services,
                               &(struct question){ .id = "" }, names, problem);
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
          && strcmp (name, id) != 0)
        file_list_add (names, name);
    }
}

/* LINE has the form "NAME=VALUE", and LIST contains names separated by commas.
   Return true if LIST contains NAME.  */
static bool
is_in_list (const char *line, const char *list)
{
  const size_t length = strcspn (line, "=");
  while (strncmp (list, line, length) != 0
         || (list[length] != ',' && list[length] != '\0'))
    {
      list += strcspn (list, ",");
      if (*list++ == '\0')
        return false;
    }
  return true;
}

/* In the unprivileged child: find the services that the properties of a unit
   contain, and put their names into ANSWER.  */
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
    if (is_in_list (line, question->properties))
      add_services (line, question->id, &names);
  put_list (answer, &names);
}

bool
systemctl_related (const char *name, const char *properties, const char *id,
                   struct file_list *names, struct problem *problem)
{
  char option[64];
  const char *const argv[]
      = { "systemctl", "show", "--no-pager", option, "--", name, NULL };
  snprintf (option, sizeof option, "--property=%s", properties);
  return systemctl_list_units (
      argv, answer_related,
      &(struct question){ .id = id, .properties = properties }, names,
      problem);
}
