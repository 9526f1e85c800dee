/* Options that several verbs have: options that set tunables
   (cmd/setting-options.def), and the option --dry-run of verbs that change the
   system.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SHARED_OPTIONS_H
#define SHARED_OPTIONS_H

#include "util/problem.h"
#include "object/settings.h"

/* For each setting that is a number, the function that handles the option for
   this setting.  */
#define HUGETEXT_SETTING(id, ...)                                     \
  extern bool shared_take_##id (void *settings, const char *argument, \
                                struct problem *problem);
#include "dl-hugetext-settings.def"

/* Set FIELD to the argument, the number of seconds to sample, at most a
   day.  */
extern bool take_sampling_seconds (void *field, const char *argument,
                                   struct problem *problem);

/* If OPTION, which applies only to services, is GIVEN, and one of WORDS names
   a program instead of a service, print an error about OPTION and exit.  */
extern void options_for_services (const char *option, bool given,
                                  char **words);

/* If WORDS is a single word that names a process or a service instead of a
   command, report the word by calling SAY, and return true; if not, return
   false.  REMEDY says how to name a process.  */
extern bool shared_names_other (char **words, const char *remedy,
                                void (*say) (const char *name,
                                             const struct problem *problem));

extern bool take_dry_run (void *field, const char *argument,
                          struct problem *problem);

#define OPTION_DRY_RUN                                                     \
  {                                                                        \
    "dry-run", 'n', NULL, "Only print what would be done", take_dry_run, 0 \
  }

#endif
