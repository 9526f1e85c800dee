/* "hugetext measure": find out whether a command is faster with huge text, or
   whether a service uses less CPU time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "host/selection.h"
#include "measure/measure.h"
#include "util/options.h"
#include "util/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options
{
  struct measurement measurement;
  struct service_measurement service;
  struct settings settings; /* The settings from the command-line options that
                               "hugetext measure" shares with "hugetext run";
                               they are appended to the settings in the
                               argument of --with.  */
  const char *base, *with, *loader;
  bool json;
};

/* The default number of rounds (for a command, or with --attach), and the
   default number of slices of a record.  A round measures both variants of a
   command, but a slice (a period in which a service is recorded) gives only
   one value.  Therefore the record of a service needs more slices than the
   measurement of a command needs rounds to reach the same confidence
   interval.  */
#define ROUNDS 20
#define SLICES 40

/* The default duration, in seconds, of a slice of a service's record.  */
#define SECONDS 3

static bool
cmd_measure_take_rounds (void *field, const char *argument,
                         struct problem *problem)
{
  double value;
  if (!take_number (&value, argument, "a number", MEASURE_LEAST, MEASURE_MOST,
                    problem))
    return false;
  if (value != (size_t) value)
    return problem_set (problem, "a whole number");
  *(size_t *) field = value;
  return true;
}

static bool
take_seconds (void *field, const char *argument, struct problem *problem)
{
  return take_number (field, argument, "a number", 0.1, 3600, problem);
}

static bool
cmd_measure_take_percent (void *field, const char *argument,
                          struct problem *problem)
{
  return take_number (field, argument, "a number", 0.1, 100, problem);
}

static const struct command_option option_list[] = {
  { "rounds", 0, "N",
    "Number of rounds, 8 to 200 (default 20); with --service, number of "
    "slices (default 40)",
    cmd_measure_take_rounds, offsetof (struct options, measurement.rounds) },
  { "with", 0, "SETTING", "Setting to measure (default \"on\")", take_word,
    offsetof (struct options, with) },
  { "base", 0, "SETTING", "Setting to compare with (default \"stock\")",
    take_word, offsetof (struct options, base) },
#define SETTING_FIELD offsetof (struct options, settings)
#include "cmd/setting-options.def"
#undef SETTING_FIELD
  { "number", 0, NULL, "Compare the first number that COMMAND prints",
    take_flag, offsetof (struct options, measurement.number) },
  { "service", 0, "SERVICE",
    "Compare a new record of SERVICE with a saved one", take_word,
    offsetof (struct options, service.service) },
  { "save", 0, NULL, "Save the record of SERVICE for a later comparison",
    take_flag, offsetof (struct options, service.save) },
  { "attach", 0, NULL, "Compare SERVICE on huge pages and on small pages",
    take_flag, offsetof (struct options, service.attach) },
  { "requests", 0, "COMMAND",
    "Shell command that prints one number: how many requests SERVICE has "
    "answered so far",
    take_word, offsetof (struct options, service.requests) },
  { "seconds", 0, "N", "Length of a slice, in seconds (default 3)",
    take_seconds, offsetof (struct options, service.seconds) },
  { "within", 0, "PERCENT", "Go on until the result is accurate to PERCENT",
    cmd_measure_take_percent, offsetof (struct options, service.within) },
  OPTION_LOADER (offsetof (struct options, loader)),
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[--] COMMAND [ARG...]\n--service=SERVICE",
  .field = offsetof (struct options, measurement.command),
  .doc
  = "Run COMMAND alternately under the stock loader and with huge text. Print "
    "whether the times differ, and the difference with its 99 % confidence "
    "interval. With --service, record a running service in slices of time, "
    "before and after a change, and compare the CPU time per request.\vA "
    "SETTING is 'stock', or a comma-separated list of: on, off, code, "
    "on+code, a backing, max=N, pad=BYTES, names=N. --backing, --max, --names "
    "and --pad add to the SETTING of --with. The exit status is that of "
    "COMMAND if COMMAND fails, otherwise 0 on success, 1 if something failed "
    "or could not be compared, 2 if an option is wrong, 126 if COMMAND cannot "
    "be executed, 127 if it is not found.",
};

/* Return the setting to measure, as a word in the format of --with.  The word
   begins with the argument of --with, or with "on" if the user has not given
   --with.  The settings of other options, such as --max, follow.  */
static const char *
words_to_measure (const struct options *options)
{
  const struct settings *settings = &options->settings;
  const char *with = options->with != NULL ? options->with : "on";
  char *words;
  size_t size;
  if (!settings_have_option (settings))
    return with;
  if (strcmp (with, "stock") == 0)
    options_fail ("--with=stock cannot be used with options for settings of "
                  "ld-hugetext.so");
  FILE *stream = open_memstream (&words, &size);
  if (stream == NULL)
    return with;
  fprintf (stream, "%s", with);
  for (enum setting setting = 0; setting < SETTINGS; ++setting)
    if (settings->option[setting])
      fprintf (stream, ",%s=%s", settings_key ((enum hugetext_key) setting),
               settings_print ((enum hugetext_key) setting,
                               settings->value[setting]));
  fclose (stream);
  return words;
}

/* Set VARIANT to WORDS, the argument of the option OPTION.  */
static void
parse_variant (struct variant *variant, const char *option, const char *words)
{
  struct problem problem;
  if (!variant_parse (variant, words, &problem))
    options_fail ("--%s=%s: %s", option, words, problem.text);
}

/* Measure the service of OPTIONS.  */
static int
measure_the_service (struct options *options)
{
  struct service_measurement *service = &options->service;
  if (options->measurement.command != NULL)
    options_fail ("%s: --service cannot be used with a command",
                  options->measurement.command[0]);
  if (service->save && service->attach)
    options_fail ("--save cannot be used with --attach, because --attach "
                  "saves no record");
  if (options->measurement.number || options->loader != NULL)
    options_fail ("--service cannot be used with --number or --loader");
  if (options->base != NULL || options->with != NULL
      || settings_have_option (&options->settings))
    options_fail ("--service cannot be used with --base, --with or settings, "
                  "because these options are only for a command that "
                  "hugetext measure starts itself");
  if (service->seconds == 0)
    service->seconds = SECONDS;
  service->rounds = options->measurement.rounds;
  if (service->rounds == 0)
    service->rounds = service->attach ? ROUNDS : SLICES;
  service->json = options->json;
  return measure_service (service);
}

int
command_measure (int argc, char **argv)
{
  static struct options options;
  struct measurement *m = &options.measurement;
  struct launch launch;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if (options.service.service != NULL)
    return measure_the_service (&options);
  if (options.service.save || options.service.attach
      || options.service.requests != NULL || options.service.seconds > 0
      || options.service.within > 0)
    options_fail ("--save, --attach, --requests, --seconds and --within need"
                  " --service");
  if (m->command == NULL)
    options_fail ("nothing to measure: use hugetext measure [OPTION...] "
                  "COMMAND [ARG...], or --service=SERVICE");
  struct problem problem;
  if (!selected_command (m->command, &problem))
    options_fail ("%s: %s", m->command[0], problem.text);
  if (m->rounds == 0)
    m->rounds = ROUNDS;
  parse_variant (&m->variants[0], "base",
                 options.base != NULL ? options.base : "stock");
  parse_variant (&m->variants[1], "with", words_to_measure (&options));
  int status = launch_find (&launch, argv[0], m->command);
  if (status != 0)
    return status;
  launch_limit (&launch, NULL);
  launch_choose_way (&launch, options.loader);
  launch_try (&launch);
  status = measure (m, &launch);
  if (status != 0)
    return status;
  (options.json ? measure_json : measure_show) (stdout, m);
  return output_flush () && measure_has_result (m) ? STATUS_OK : STATUS_PARTLY;
}
