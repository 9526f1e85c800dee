/* "hugetext enable": a service, or a program, gets huge text from its next
   start on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/setting-options.h"
#include "service/service.h"
#include "trust/change.h"
#include "util/options.h"

#include <errno.h>
#include <string.h>

struct options
{
  struct service_options service;
  bool json;
  char **words;
};

enum
{
  KEY_PROGRAM = 0x100,
  KEY_RESTART,
  KEY_FORCE,
  KEY_CODE,
  KEY_LOCK,
  KEY_OBJECTS,
  KEY_NO_STORE,
};

static const struct argp_option option_list[] = {
  { "program", KEY_PROGRAM, "FILE", 0,
    "The program of SERVICE; may be given again", 0 },
  { "restart", KEY_RESTART, NULL, 0,
    "Restart SERVICE if need be; say what came of it", 0 },
  { "force", KEY_FORCE, NULL, 0,
    "Even a SERVICE whose jobs or sessions outlive it", 0 },
  { "dry-run", 'n', NULL, 0, "Only say what would be done", 0 },
  { "code", KEY_CODE, NULL, 0, "Code made at run time, too (Java, PHP)", 0 },
  { "lock", KEY_LOCK, "on|off", 0, "Keep huge pages of text in memory", 0 },
  { "no-store", KEY_NO_STORE, NULL, 0, "Make no images in the store", 0 },
  { "objects", KEY_OBJECTS, "PATTERNS", 0,
    "Only these objects, or with ! all but these", 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &setting_options, 0, NULL, 0 },
  { &options_loader, 0, NULL, 0 },
  { &options_json, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *all = state->input;
  struct service_options *options = &all->service;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->settings;
      state->child_inputs[1] = &options->loader;
      state->child_inputs[2] = &all->json;
      return 0;
    case KEY_PROGRAM:
      return file_list_add (&options->programs, arg) ? 0 : ENOMEM;
    case KEY_RESTART:
      options->restart = true;
      return 0;
    case KEY_FORCE:
      options->force = true;
      return 0;
    case KEY_CODE:
      options->code = true;
      return 0;
    case KEY_NO_STORE:
      options->no_store = true;
      return 0;
    case 'n':
      change_simulate ();
      return 0;
    case KEY_LOCK:
      if (strcmp (arg, "on") != 0 && strcmp (arg, "off") != 0)
        options_fail ("--lock=%s: must be on or off", arg);
      options->lock = arg;
      return 0;
    case KEY_OBJECTS:
      if (arg[0] == '\0' || strchr (arg, '\n') != NULL)
        options_fail ("--objects=%s: must be patterns with blanks between"
                      " them",
                      arg);
      options->objects = arg;
      return 0;
    case ARGP_KEY_ARGS:
      all->words = options_words (state, "service or program");
      return 0;
    case ARGP_KEY_NO_ARGS:
      options_fail ("which service or program? hugetext enable"
                    " SERVICE|PROGRAM");
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "SERVICE|PROGRAM...",
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
    usage_fail (STATUS_USAGE, "%s: --program is for one service",
                options->words[1]);
  for (char **word = options->words; *word != NULL; word++)
    if (strchr (*word, '/') != NULL
        && (service->programs.count > 0 || service->restart
            || service->force))
      usage_fail (STATUS_USAGE,
                  "%s: --program, --restart and --force are for services",
                  *word);
}

int
command_enable (int argc, char **argv)
{
  struct options options = { .json = false };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  check (&options);
  int status = service_each ("enable", service_enable, &options.service,
                             options.words, options.json);
  file_list_free (&options.service.programs);
  return status;
}
