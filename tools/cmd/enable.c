/* "hugetext enable": let a service or program run with huge text from its next
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
};

static const struct command_option option_list[] = {
  { "program", 0, "FILE",
    "Enable only this program of SERVICE; may be given several times",
    take_name, offsetof (struct options, service.programs) },
  { "restart", 0, NULL,
    "Restart SERVICE, and print how much of its text is huge", take_flag,
    offsetof (struct options, service.restart) },
  OPTION_DRY_RUN,
  { "code", 0, NULL,
    "Also put code made at run time on huge pages (Java, PHP)", take_flag,
    offsetof (struct options, service.code) },
  { "adaptive", 0, NULL,
    "Let a systemd timer run hugetext adapt for SERVICE, until hugetext "
    "disable",
    take_flag, offsetof (struct options, service.adaptive) },
#define SETTING_FIELD offsetof (struct options, service.settings)
#include "cmd/setting-options.def"
#undef SETTING_FIELD
  OPTION_LOADER (offsetof (struct options, service.loader)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "SERVICE|PROGRAM...",
  .words = "service or program",
  .field = offsetof (struct options, service.words),
  .missing
  = "no service or program is named: use hugetext enable SERVICE|PROGRAM",
  .doc = "Enable huge text. A SERVICE (a systemd unit) has huge text at its "
         "next and all later starts. A PROGRAM (a path) has huge text "
         "whenever hugetext run or an enabled service starts it. To undo the "
         "change, use hugetext disable. Settings from an earlier hugetext "
         "enable stay until an option changes them: --backing=auto, for "
         "example, returns to the default.\vThe exit status is 0 on success, "
         "1 if a step failed or the change has no effect, 2 if an option is "
         "wrong.",
};

int
command_enable (int argc, char **argv)
{
  struct options options = { .service.words = NULL };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  const struct service_options *service = &options.service;
  for (char **word = service->words; *word != NULL; ++word)
    if (service->programs.count > 0
        && (strchr (*word, '/') != NULL || service->words[1] != NULL))
      options_fail ("%s: --program needs exactly one service", *word);
  options_for_services ("--restart", service->restart, service->words);
  options_for_services ("--adaptive", service->adaptive, service->words);
  options_for_services ("--loader", service->loader != NULL, service->words);
  int status = service_each ("enable", service_enable, service);
  file_list_free (&options.service.programs);
  return status;
}
