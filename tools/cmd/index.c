/* "hugetext index": the settings of programs are compiled for the loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "index/config.h"
#include "index/file.h"
#include "index/write.h"
#include "object/settings.h"
#include "service/service.h"
#include "text/json.h"
#include "util/options.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options
{
  const char *config, *output;
  bool check, print, json;
  char **programs;
};

static const struct command_option option_list[] = {
  { "check", 0, NULL,
    "Only say what is wrong, and which sections match no file", take_flag,
    offsetof (struct options, check) },
  { "print", 0, NULL, "Print what the index says, of PROGRAM if given",
    take_flag, offsetof (struct options, print) },
  { "config", 0, "FILE", "Compile FILE, and its folder, not " CONFIG_PATH,
    take_word, offsetof (struct options, config) },
  { "output", 0, "FILE", "Use FILE, not " INDEX_PATH, take_word,
    offsetof (struct options, output) },
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[--print PROGRAM...]",
  .words = "programs",
  .field = offsetof (struct options, programs),
  .doc = "Compile " CONFIG_PATH " and the files in the folder of that name"
         " with .d, in which settings of programs are, for the loader."
         "\vWhere anything is wrong the index stays as it is. The exit status"
         " is 0, 1 if anything is wrong, 2 if an option is.",
};

/* End with a line if OPTIONS do not go together.  */
static void
check_options (const struct options *options)
{
  if (options->check && options->print)
    options_fail ("--check and --print: must be one of them");
  if (options->programs != NULL && !options->print)
    options_fail ("%s: programs are for --print only; what is compiled is %s",
                  options->programs[0], options->config);
}

/* The answer: lines as they come, or JSON at the end.  Problems go to standard
   error in both cases.  */
static struct
{
  bool json;
  size_t count; /* Number of sections that have been printed.  */
  struct json_object *sections, *programs, *problems;
} output;

/* Report LINE, an error if WRONG, else a warning.  */
static void
say (void *closure, bool wrong, const char *line)
{
  (void) closure;
  struct json_object *json = json_object_new_object ();
  json_set_true_false (json, "wrong", wrong);
  json_set_string (json, "problem", line);
  json_object_array_add (output.problems, json);
  fflush (stdout);
  fprintf (stderr, "hugetext index: %s%s\n", wrong ? "" : "warning: ", line);
}

/* Whether a file exists that PATTERN matches, by glob's rules.  */
static bool
matches_file (const char *pattern)
{
  glob_t found = { 0 };
  char escaped[2 * HUGETEXT_PATTERN_MAX], *to = escaped;
  if (strstr (pattern, "**") != NULL)
    return true;
  for (; *pattern != '\0'; ++pattern)
    {
      if (strchr ("[\\", *pattern) != NULL)
        *to++ = '\\';
      *to++ = *pattern;
    }
  *to = '\0';
  int result = glob (escaped, GLOB_NOSORT | GLOB_PERIOD, NULL, &found);
  globfree (&found);
  return result != GLOB_NOMATCH;
}

static bool
check (const struct options *options)
{
  struct config config;
  bool good = config_read (options->config, &config, say, NULL);
  for (size_t i = 0; i < config.count; ++i)
    if (!matches_file (config.sections[i].pattern))
      config_tell (say, NULL, false, "%s: [%s] matches no file",
                   config.sections[i].source, config.sections[i].pattern);
  config_free (&config);
  index_check_place (options->output, say, NULL);
  return good;
}

/* An entry of the index to be shown, under a name: a section's pattern, or a
   program's path.  */
struct shown
{
  bool program;
  const char *name;
  uint32_t given;
  const uint64_t *value;
  const char *objects;
  const char *source[HUGETEXT_KEYS];
};

/* Print SHOWN as a section that could be compiled again.  */
static void
show (const struct shown *shown)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *settings = json_object_new_object ();
  json_set_string (json, "name", shown->name);
  json_object_object_add (json, "settings", settings);
  if (output.json)
    json_object_array_add (shown->program ? output.programs : output.sections,
                           json_object_get (json));
  else if (shown->program)
    printf ("%s:%s\n", shown->name, shown->given != 0 ? "" : " nothing");
  else
    printf ("%s# %s\n[%s]\n", output.count++ > 0 ? "\n" : "", shown->source[0],
            shown->name);
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      if ((shown->given & 1u << key) == 0)
        continue;
      const char *value = key == HUGETEXT_KEY_OBJECTS
                              ? shown->objects
                              : settings_print (key, shown->value[key]);
      struct json_object *setting = json_object_new_object ();
      json_set_string (setting, "value", value);
      json_set_string (setting, "source", shown->source[key]);
      json_object_object_add (settings, settings_key (key), setting);
      if (!output.json && shown->program)
        printf ("  %s = %s  (%s)\n", settings_key (key), value,
                shown->source[key]);
      else if (!output.json)
        printf ("%s = %s\n", settings_key (key), value);
    }
  json_object_put (json);
}

/* Print all of FILE.  */
static bool
print_all (const struct index_file *file)
{
  struct index_section *list;
  long count = index_file_list (file, &list);
  for (long i = 0; i < count; ++i)
    {
      struct shown shown = { .name = list[i].pattern,
                             .given = list[i].given,
                             .value = list[i].value,
                             .objects = list[i].objects };
      for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
        shown.source[key] = list[i].source;
      show (&shown);
    }
  index_file_free (list, count);
  if (count < 0)
    say (NULL, true, strerror (ENOMEM));
  return count >= 0;
}

/* Print FILE's settings for PROGRAM.  */
static bool
print_program (const struct index_file *file, const char *program)
{
  static struct hugetext_advice advice;
  char real[PATH_MAX];
  if (realpath (program, real) == NULL)
    {
      config_tell (say, NULL, true, "%s: %s", program, strerror (errno));
      return false;
    }
  hugetext_index_find (&file->index, real, &advice);
  struct shown shown = { .program = true,
                         .name = real,
                         .given = advice.given,
                         .value = advice.value,
                         .objects = advice.text.objects };
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    shown.source[key] = advice.text.source[key];
  show (&shown);
  return true;
}

static bool
print (const struct options *options)
{
  struct index_file file;
  errno = 0;
  const char *problem = index_file_open_path (&file, options->output, 0);
  bool missing = problem != NULL && errno == ENOENT;
  if (problem != NULL)
    {
      config_tell (say, NULL, true, "%s: %s%s", options->output, problem,
                   missing ? ": no program has settings"
                           : ": the loader does as if it were not there");
      return false;
    }
  bool good = true;
  if (options->programs == NULL)
    good = print_all (&file);
  else
    for (char **word = options->programs; *word != NULL; ++word)
      if (!print_program (&file, *word))
        good = false;
  index_file_close (&file);
  return good;
}

static void
print_json (const struct options *options)
{
  struct json_object *json = json_begin ();
  json_set_string (json, "index", options->output);
  json_object_object_add (json, "sections", output.sections);
  json_object_object_add (json, "programs", output.programs);
  json_object_object_add (json, "problems", output.problems);
  json_print (stdout, json, false);
}

int
command_index (int argc, char **argv)
{
  struct options options = { .config = CONFIG_PATH, .output = INDEX_PATH };
  struct problem problem;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  check_options (&options);
  output.json = options.json;
  output.sections = json_object_new_array ();
  output.programs = json_object_new_array ();
  output.problems = json_object_new_array ();
  /* Lock, so that a command that has read older settings does not write last.
     A user other than root goes on without the lock.  */
  if (!options.check && !options.print)
    service_lock (&problem);
  bool good = options.check ? check (&options)
              : options.print
                  ? print (&options)
                  : index_update (options.config, options.output, say, NULL);
  if (options.json)
    print_json (&options);
  if (fflush (stdout) != 0 || ferror (stdout))
    {
      say (NULL, true, "its output cannot be written");
      good = false;
    }
  return good ? STATUS_OK : STATUS_PARTLY;
}
