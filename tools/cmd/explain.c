/* "hugetext explain": show which blocks of files, processes and cores are
   huge, and why other blocks are not.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "explain/explain.h"
#include "text/json.h"
#include "text/inspect.h"
#include "util/options.h"
#include "util/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options
{
  struct settings settings; /* The settings, from GLIBC_TUNABLES and the
                               options.  */
  bool dependencies, json;
  char **words;
};

static const struct command_option option_list[] = {
  { "deps", 0, NULL,
    "Also explain the libraries that FILE needs. FILE and its libraries then "
    "share the limit --max",
    take_flag, offsetof (struct options, dependencies) },
#define SETTING_FIELD offsetof (struct options, settings)
#include "cmd/setting-options.def"
#undef SETTING_FIELD
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "FILE...|PID...|CORE...",
  .words = "files, processes and cores",
  .field = offsetof (struct options, words),
  .missing
  = "no file or process is named: use hugetext explain FILE...|PID...|CORE...",
  .doc
  = "Print which blocks of text ld-hugetext.so puts on huge pages, why other "
    "blocks stay on small pages, and what would make them huge. A block is a "
    "range of addresses that one huge page can back. For a FILE (a program "
    "or library), do a dry run that stops before any code of FILE runs, and "
    "print the link-time address of each block. For a process, print what "
    "the loader has done with each block, and which pages are huge according "
    "to the kernel. For a CORE (a core file), print only what the loader had "
    "done with each block.\vThe exit status is 0 on success, 1 if a file or "
    "process could not be read, 2 if an option is wrong.",
};

/* The output as JSON, with one array each for processes, cores and files.  */
struct output
{
  struct answer answer;
  struct json_object *arrays[3];
};

/* Print EXPLANATION, which explains the process or core NAME.  If the output
   is JSON, add EXPLANATION to the JSON instead.  */
static void
show_process (struct output *output, const struct explanation *explanation,
              const char *name)
{
  const bool is_core = explanation->source == EXPLAINED_CORE;
  const char *problem = explanation->problem.text;
  if (output->answer.json)
    {
      struct json_object *json = json_object_new_object ();
      struct json_object *objects = json_object_new_array ();
      if (!is_core)
        json_set_number (json, "pid", explanation->process.pid);
      json_set_string (json, "name", name);
      json_set_string (json, "problem", problem[0] != '\0' ? problem : NULL);
      json_object_object_add (json, "settings",
                              json_settings (&explanation->settings));
      if (!is_core)
        {
          const char *left = explanation->code_left;
          json_set_string (json, "code_left_alone",
                           left[0] != '\0' ? left : NULL);
          json_object_object_add (
              json, "thp_disabled",
              json_object_new_boolean (explanation->thp_disabled));
        }
      explain_json (explanation, objects);
      json_object_object_add (json, "objects", objects);
      json_object_array_add (output->arrays[explanation->source], json);
      return;
    }
  if (is_core)
    printf ("%s: a core\n", name);
  else
    terminal_say (stdout, 4, "%d %s%s%s", (int) explanation->process.pid, name,
                  problem[0] != '\0' ? ": " : "", problem);
  explain_print (explanation);
}

/* Print EXPLANATION, which explains files.  If the output is JSON, add
   EXPLANATION to the JSON instead.  Return false if a file could not be
   read.  */
static bool
show_files (struct output *output, const struct explanation *explanation)
{
  bool good = true;
  for (size_t i = 0; i < explanation->count; ++i)
    if (explanation->list[i].unreadable)
      {
        answer_problem (&output->answer, NULL, explanation->list[i].name,
                        explanation->list[i].problem.text);
        good = false;
      }
  if (output->answer.json)
    explain_json (explanation, output->arrays[EXPLAINED_FILE]);
  else
    explain_print (explanation);
  return good;
}

/* Explain the process, core or file that WORD names.  Return false if the
   process, core or file could not be read.  */
static bool
explain_word (const struct options *options, struct output *output,
              const char *word)
{
  struct explanation to = { .source = EXPLAINED_PROCESS };
  pid_t pid = inspect_pid (word);
  struct problem problem;
  bool good
      = (pid > 0 ? explain_process (pid, NULL, &to, &problem)
                 : explain_file (word, EXPLAINED_ANY, options->dependencies,
                                 NULL, &options->settings, &to, &problem));
  if (to.script)
    fprintf (stderr,
             "hugetext explain: %s: the file is a script, so the blocks below "
             "belong to its interpreter\n",
             word);
  const char *name = to.process.name[0] != '\0' ? to.process.name : word;
  if (!good)
    answer_problem (&output->answer, pid > 0 ? &to.process : NULL, name,
                    problem.text);
  else if (to.source == EXPLAINED_FILE)
    good = show_files (output, &to);
  else
    show_process (output, &to, name);
  explain_free (&to);
  return good;
}

/* If OPTIONS apply only to files, but all words name processes, print an error
   and exit, because the options would have no effect.  */
static void
explain_check_options (const struct options *options)
{
  for (char **word = options->words; *word != NULL; ++word)
    if (inspect_pid (*word) < 0)
      return;
  if (options->dependencies)
    options_fail ("--deps applies to files, not to processes");
  if (settings_have_option (&options->settings))
    options_fail (
        "options that change settings can be used only with files: a running "
        "process keeps the settings with which it was started");
}

int
command_explain (int argc, char **argv)
{
  struct options options = { 0 };
  struct output output;
  bool good = true;
  settings_read (&options.settings, getenv ("GLIBC_TUNABLES"));
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  explain_check_options (&options);
  answer_begin (&output.answer, "explain", options.json);
  output.arrays[EXPLAINED_FILE] = answer_array (&output.answer, "files");
  output.arrays[EXPLAINED_PROCESS]
      = answer_array (&output.answer, "processes");
  output.arrays[EXPLAINED_CORE] = answer_array (&output.answer, "cores");
  for (char **word = options.words; *word != NULL; ++word)
    {
      if (!options.json && word > options.words)
        putchar ('\n');
      good &= explain_word (&options, &output, *word);
    }
  answer_end (&output.answer);
  return good ? STATUS_OK : STATUS_PARTLY;
}
