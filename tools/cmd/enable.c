/* "hugetext enable": a service, or a program, gets huge text from its next
   start on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "service/service.h"
#include "util/options.h"

#include <string.h>

struct options
{
  struct service_options service;
  bool json;
  char **words;
};

static const char *
take_lock (void *field, const char *argument)
{
  if (strcmp (argument, "on") != 0 && strcmp (argument, "off") != 0)
    return "on or off";
  return take_word (field, argument);
}

static const char *
take_objects (void *field, const char *argument)
{
  if (argument[0] == '\0' || strchr (argument, '\n') != NULL)
    return "patterns with blanks between them";
  return take_word (field, argument);
}

static const struct command_option option_list[] = {
  { "program", 0, "FILE", "The program of SERVICE; may be given again",
    take_name, offsetof (struct options, service.programs) },
  { "restart", 0, NULL, "Restart SERVICE if need be; say what came of it",
    take_flag, offsetof (struct options, service.restart) },
  { "force", 0, NULL, "Even a SERVICE whose jobs or sessions outlive it",
    take_flag, offsetof (struct options, service.force) },
  OPTION_DRY_RUN,
  { "code", 0, NULL, "Code made at run time, too (Java, PHP)", take_flag,
    offsetof (struct options, service.code) },
  { "lock", 0, "on|off", "Keep huge pages of text in memory", take_lock,
    offsetof (struct options, service.lock) },
  { "no-store", 0, NULL, "Make no images in the store", take_flag,
    offsetof (struct options, service.no_store) },
  { "objects", 0, "PATTERNS", "Only these objects, or with ! all but these",
    take_objects, offsetof (struct options, service.objects) },
  SETTING_OPTIONS (offsetof (struct options, service.settings)),
  OPTION_LOADER (offsetof (struct options, service.loader)),
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "SERVICE|PROGRAM...",
  .words = "service or program",
  .field = offsetof (struct options, words),
  .missing = "which service or program? hugetext enable SERVICE|PROGRAM",
  .doc = "Have SERVICE, a unit of systemd's, start on huge text from its next"
         " start on, or PROGRAM, a path, wherever it is started under"
         " ld-hugetext.so."
         "\vThe exit status is 0, 1 if it could not be done, or nothing came"
         " of it, 2 if an option is wrong. hugetext disable undoes it.",
};

/* End with a line if OPTIONS and words do not go together.  */
static void
check (const struct options *options)
{
  const struct service_options *service = &options->service;
  if (options->words[1] != NULL && service->programs.count > 0)
    options_fail ("%s: --program is for one service", options->words[1]);
  for (char **word = options->words; *word != NULL; ++word)
    if (strchr (*word, '/') != NULL
        && (service->programs.count > 0 || service->restart || service->force))
      options_fail ("%s: --program, --restart and --force are for services",
                    *word);
}

int
command_enable (int argc, char **argv)
{
  struct options options = { .json = false };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  check (&options);
  int status = service_each ("enable", service_enable, &options.service,
                             options.words, options.json);
  file_list_free (&options.service.programs);
  return status;
}
