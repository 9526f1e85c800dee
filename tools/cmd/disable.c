/* "hugetext disable": undo "hugetext enable" for a service or program.
   The change takes effect at the next start of the service or program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "service/service.h"
#include "util/options.h"

struct options
{
  struct service_options service;
};

static const struct command_option option_list[] = {
  { "restart", 0, NULL, "Restart SERVICE if it is running", take_flag,
    offsetof (struct options, service.restart) },
  OPTION_DRY_RUN,
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "SERVICE|PROGRAM...",
  .words = "service or program",
  .field = offsetof (struct options, service.words),
  .missing
  = "no service or program is named: use hugetext disable SERVICE|PROGRAM",
  .doc = "Undo hugetext enable for each SERVICE or PROGRAM.\vThe exit status "
         "is 0 on success, 1 if a step failed, 2 if an option is wrong.",
};

int
command_disable (int argc, char **argv)
{
  struct options options = { .service.words = NULL };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  options_for_services ("--restart", options.service.restart,
                        options.service.words);
  return service_each ("disable", service_disable, &options.service);
}
