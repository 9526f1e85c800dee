/* "hugetext doctor": report what prevents huge text on this machine or in a
   program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "doctor/doctor.h"
#include "text/json.h"
#include "util/options.h"

#include <stdlib.h>

struct options
{
  struct settings settings;
  const char *loader;
  bool json;
  bool report;
  char **programs;
};

static const struct command_option option_list[] = {
#define SETTING_FIELD offsetof (struct options, settings)
#include "cmd/setting-options.def"
#undef SETTING_FIELD
  OPTION_LOADER (offsetof (struct options, loader)),
  OPTION_JSON (offsetof (struct options, json)),
  { "report", 0, NULL,
    "Before the checks, print the versions and the facts about the machine "
    "that a bug report needs. The output contains no names of hosts, users or "
    "processes, and no names of files outside the system's directories",
    take_flag, offsetof (struct options, report) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[PROGRAM|SERVICE...]",
  .words = "programs",
  .field = offsetof (struct options, programs),
  .doc
  = "Check whether text can be on huge pages: on this machine, under the "
    "limits of the command's own process, and in each PROGRAM, or the "
    "program of each SERVICE. Each line begins with 'OK', 'limited' (huge "
    "text works, but could work better) or 'missing' (huge text does not "
    "work). A line with 'limited' or 'missing' ends with a remedy.\vThe exit "
    "status is 0 if all lines say 'OK', 1 if a line says 'limited', 2 if an "
    "option is wrong, 3 if a line says 'missing'.",
};

static void
cmd_doctor_say_setting (void *closure, const char *problem, const char *right)
{
  (void) closure;
  doctor_say (LEVEL_LIMITED, "GLIBC_TUNABLES", remedies_chosen (right), "%s",
              problem);
}

int
command_doctor (int argc, char **argv)
{
  static const int statuses[] = { [LEVEL_OK] = STATUS_OK,
                                  [LEVEL_LIMITED] = STATUS_PARTLY,
                                  [LEVEL_MISSING] = STATUS_LOW };
  struct options options = { 0 };
  settings_read (&options.settings, getenv ("GLIBC_TUNABLES"));
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);

  if (options.report && (options.json || options.programs != NULL))
    options_fail (
        "--report cannot be used with --json, or with the name of a program");
  if (options.report)
    doctor_report (&options.settings, options.loader);
  struct json_object *lines = options.json ? doctor_to_json () : NULL;
  doctor_machine (&options.settings, options.loader);
  if (!options.report)
    settings_complain (getenv ("GLIBC_TUNABLES"), cmd_doctor_say_setting,
                       NULL);
  for (char **name = options.programs; name != NULL && *name != NULL; ++name)
    doctor_program (*name, options.loader, &options.settings);
  if (lines != NULL)
    {
      struct json_object *all = json_begin ();
      json_set_string (all, "level", doctor_word (doctor_worst ()));
      json_object_object_add (all, "checks", lines);
      json_print (stdout, all);
    }
  return statuses[doctor_worst ()];
}
