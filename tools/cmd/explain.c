/* "hugetext explain": which blocks of files, processes and cores are huge, and
   why not the others.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "cmd/shared-options.h"
#include "explain/explain.h"
#include "index/advice.h"
#include "object/dependencies.h"
#include "object/loader.h"
#include "object/program.h"
#include "host/process.h"
#include "text/inspect.h"
#include "text/json.h"
#include "text/report.h"
#include "util/options.h"
#include "util/output.h"
#include "util/regular.h"
#include "util/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options
{
  struct settings settings; /* The settings of GLIBC_TUNABLES and the
                               options.  */
  bool dependencies, json;
  char **words;
};

static const struct command_option option_list[] = {
  { "deps", 0, NULL,
    "Explain the libraries that FILE needs, too; all share one --max",
    take_flag, offsetof (struct options, dependencies) },
  SETTING_OPTIONS (offsetof (struct options, settings)),
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "FILE...|PID...|CORE...",
  .words = "files, processes and cores",
  .field = offsetof (struct options, words),
  .missing
  = "of which file or process? hugetext explain FILE...|PID...|CORE...",
  .doc = "Say for each FILE, a program or library, what ld-hugetext.so does"
         " with its text, or for each process what it did: block by block,"
         " a block being a huge page of address space; why, and what would"
         " change it. Of a FILE a start is rehearsed that ends before any code"
         " of the FILE runs, and a block is shown at the address that the FILE"
         " was linked for. Of a CORE it is said what the loader had done."
         "\vThe exit status is 0, 1 if a file or process could not be read, 2"
         " if an option is wrong.",
};

/* Files and processes that could not be read, for JSON.  */
static struct json_object *problems;

static void
say (const char *word, const char *text)
{
  output_flush ();
  fprintf (stderr, "hugetext explain: %s: %s\n", word, text);
}

static void
say_problem (const char *word, const char *problem)
{
  json_object_array_add (problems, json_problem (NULL, word, problem));
  say (word, problem);
}

/* Print the COUNT objects of LIST, or add them to ARRAY.  */
static void
show (const struct options *options, struct json_object *array,
      const struct explained list[], size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (options->json)
      json_object_array_add (array, explain_json (&list[i]));
    else
      explain_print (stdout, &list[i]);
}

/* Report that WORD is no file; if a process has this name, print its ID.  */
static void
say_not_found (const char *word)
{
  char text[64] = "not found";
  pid_t *list;
  if (process_list (word, &list) > 0)
    snprintf (text, sizeof text,
              "not found on PATH; of a process, give the ID: %d",
              (int) list[0]);
  free (list);
  say_problem (word, text);
}

/* Return the file that WORD names: itself, or a program on PATH; for a script
   the program that runs it.  The caller frees it; NULL if there is none, which
   is reported.  */
static char *
find_file (const char *word)
{
  char *file = access (word, F_OK) == 0 ? strdup (word) : program_find (word);
  if (file == NULL)
    {
      if (errno == ENOENT)
        say_not_found (word);
      else
        say_problem (word, strerror (errno));
      return NULL;
    }
  struct program program;
  if (!program_read (file, &program) || program.script[0] == '\0')
    return file;
  say (file, "it is a script; what follows is about the program that runs it");
  free (file);
  return strdup (program.file);
}

/* Whether FILE can have a list of needed libraries.  */
static bool
needs_libraries (const char *file)
{
  struct elf_object elf;
  int fd = regular_open (file, 0);
  if (fd < 0)
    return false;
  bool good = elfobject_read (fd, &elf) == NULL && !elf.statically_linked;
  close (fd);
  return good;
}

/* Explain the file that WORD names.  */
static bool
explain_file (const struct options *options, const char *word,
              struct json_object *array)
{
  struct file_list files = { 0 };
  char *file = find_file (word);
  if (file == NULL || !file_list_add (&files, file))
    {
      free (file);
      return false;
    }
  bool good = true;
  if (options->dependencies && needs_libraries (file))
    {
      const char *problem = file_list_dependencies (&files, readable_open);
      if (problem != NULL)
        {
          say_problem (file, problem);
          good = false;
        }
    }
  if (!file_list_opened (&files))
    good = false;
  struct explained *list = calloc (files.count, sizeof *list);
  struct settings settings = options->settings;
  struct program program;
  bool is_program
      = (program_read (file, &program) && program.kind == PROGRAM_DYNAMIC);
  if (is_program)
    advice_add (&settings, file);
  if (list != NULL && explain_files (&files, NULL, &settings, list) > 0)
    good = false;
  if (list != NULL && is_program)
    list[0].settings = &settings;
  for (size_t i = 0; list != NULL && i < files.count; ++i)
    {
      if (!list[i].readable)
        say_problem (list[i].name, list[i].problem);
      else
        show (options, array, &list[i], 1);
      explained_free (&list[i]);
    }
  free (list);
  free (file);
  file_list_free (&files);
  return good;
}

/* Explain the file WORD if it is a core.  False if it is not.  Set GOOD to
   whether it can be explained.  */
static bool
explain_if_core (const struct options *options, const char *word,
                 struct json_object *array, bool *good)
{
  struct explained *list;
  struct settings settings;
  size_t count;
  const char *problem = explain_core (word, &list, &count, &settings);
  if (problem != NULL && *problem == '\0')
    return false;
  *good = problem == NULL;
  if (problem != NULL)
    {
      say_problem (word, problem);
      return true;
    }
  struct json_object *json = json_object_new_object ();
  struct json_object *objects = json_object_new_array ();
  json_set_string (json, "name", word);
  json_object_object_add (json, "settings", json_settings (&settings));
  json_object_object_add (json, "objects", objects);
  json_object_array_add (array, json);
  if (!options->json)
    {
      printf ("%s: a core\n", word);
      settings_show (stdout, &settings);
    }
  show (options, objects, list, count);
  for (size_t i = 0; i < count; ++i)
    explained_free (&list[i]);
  free (list);
  return true;
}

/* Explain process PID, given as WORD.  */
static bool
explain_pid (const struct options *options, pid_t pid, const char *word,
             struct json_object *array)
{
  struct process process;
  struct explained *list;
  size_t count;
  char words[512];
  struct json_object *settings = json_object_new_array ();
  struct settings set;
  struct cost cost = { 0 };
  const char *problem = explain_process (pid, &process, words, &list, &count,
                                         &set, json_add_setting, settings);
  if (problem != NULL)
    {
      json_object_put (settings);
      char name[64];
      snprintf (name, sizeof name, "%d (%s)", (int) pid, process.name);
      say_problem (process.name[0] != '\0' ? name : word, problem);
      return false;
    }

  for (size_t i = 0; i < count; ++i)
    cost_add (&cost, &list[i].cost);
  if (options->json)
    {
      struct json_object *json = json_object_new_object ();
      struct json_object *objects = json_object_new_array ();
      json_set_number (json, "pid", pid);
      json_set_string (json, "name", process.name);
      json_set_string (json, "problem", words[0] != '\0' ? words : NULL);
      bool made = count > 0 && list[count - 1].made;
      show (options, objects, list, count - made);
      json_object_object_add (json, "bad_settings", settings);
      json_object_object_add (json, "settings", json_settings (&set));
      json_object_object_add (json, "memory", json_cost (&cost));
      json_object_object_add (json, "objects", objects);
      json_object_object_add (json, "made_at_run_time",
                              made ? explain_json (&list[count - 1]) : NULL);
      json_object_array_add (array, json);
    }
  else
    {
      terminal_say (stdout, 4, "%d %s%s%s", (int) pid, process.name,
                    words[0] != '\0' ? ": " : "", words);
      for (size_t i = 0; i < json_object_array_length (settings); ++i)
        printf (
            "GLIBC_TUNABLES: %s\n",
            json_object_get_string (json_object_array_get_idx (settings, i)));
      json_object_put (settings);
      settings_show (stdout, &set);
      show (options, NULL, list, count);
      if (cost.copies + cost.images > 0)
        puts ("all objects:");
      report_cost (stdout, "  ", &cost);
    }
  for (size_t i = 0; i < count; ++i)
    explained_free (&list[i]);
  free (list);
  return true;
}

static void
say_setting (void *closure, const char *problem, const char *right)
{
  char line[512];
  snprintf (line, sizeof line, "%s; must be %s", problem, right);
  (void) closure;
  say ("GLIBC_TUNABLES", line);
}

/* The version of the JSON: later releases may add keys to a version, but do
   not remove keys or change their meaning.  */
#define VERSION 2

int
command_explain (int argc, char **argv)
{
  struct options options = { 0 };
  settings_read (&options.settings, getenv ("GLIBC_TUNABLES"));
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);

  problems = json_object_new_array ();
  struct json_object *files = json_object_new_array ();
  struct json_object *processes = json_object_new_array ();
  struct json_object *cores = json_object_new_array ();
  bool good = true, files_named = false;
  for (char **word = options.words; *word != NULL; ++word)
    {
      pid_t pid = inspect_pid (*word);
      if (pid <= 0 && !files_named)
        settings_complain (getenv ("GLIBC_TUNABLES"), say_setting, NULL);
      files_named = files_named || pid <= 0;
      if (!options.json && word > options.words)
        putchar ('\n');
      bool core_good = true;
      if (pid <= 0 && explain_if_core (&options, *word, cores, &core_good))
        good = good && core_good;
      else if (pid > 0 ? !explain_pid (&options, pid, *word, processes)
                       : !explain_file (&options, *word, files))
        good = false;
    }
  struct json_object *all = json_object_new_object ();
  json_set_number (all, "version", VERSION);
  json_object_object_add (all, "files", files);
  json_object_object_add (all, "processes", processes);
  json_object_object_add (all, "cores", cores);
  json_object_object_add (all, "problems", problems);
  if (options.json)
    json_print (stdout, all, false);
  else
    json_object_put (all);
  return good ? STATUS_OK : STATUS_PARTLY;
}
