/* "hugetext list": show the enabled services and programs, and how much of
   their text is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "service/service.h"
#include "util/options.h"

struct options
{
  bool json;
  const char *loader;
};

static const struct command_option option_list[] = {
  OPTION_LOADER (offsetof (struct options, loader)),
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .takes_none = true,
  .doc
  = "Print each enabled service and program, the number of its "
    "processes, and what percentage of its text in use is on huge pages. If "
    "the percentage is low, print why.\vText is in use if a process has "
    "touched it. The columns 'huge KiB' and 'small KiB' count only text in "
    "use; 'text KiB' counts all text. The exit status is 0 on success; 1 if "
    "an enabled service has failed or does not start under ld-hugetext.so, or "
    "if a settings file has an error; 2 if an option is wrong.",
};

/* "hugetext list" accepts no names of services or programs as arguments,
   because it lists everything that is enabled.  */

int
command_list (int argc, char **argv)
{
  struct options options = { .json = false };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  return service_list (options.loader, options.json);
}
