/* "hugetext prime": have files cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "prime.h"
#include "command.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options
{
  struct prime_options how;
  bool json;
  struct file_list services;
  char **files; /* Or NULL.  */
};

enum
{
  KEY_SERVICE = 0x100,
};

static const struct argp_option option_list[] = {
  { "service", KEY_SERVICE, "SERVICE", 0,
    "The programs and libraries of a service of systemd's with much text", 0 },
  { "dry-run", 'n', NULL, 0, "Only say what would be done", 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &options_json, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->json;
      return 0;
    case 'n':
      options->how.dry_run = true;
      return 0;
    case KEY_SERVICE:
      file_list_add (&options->services, arg);
      return 0;
    case ARGP_KEY_ARGS:
      options->files = options_words (state, "files");
      return 0;
    case ARGP_KEY_END:
      if (options->files == NULL && options->services.count == 0)
        options_fail ("which files? hugetext prime [OPTION...] FILE..., or"
                      " --service=SERVICE");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "FILE...",
  .doc
  = "Have FILEs, programs and libraries whose own huge pages fit their text,"
    " cached in huge pages: what is cached in small ones is dropped, where"
    " nobody has it mapped, and read again."
    "\vThe exit status is 0, 1 if not all is on huge pages in the end, 2 if an"
    " option is wrong.",
};

/* What there is to say in the end.  */
struct output
{
  struct json_object *files, *problems;
};

static void
say_problem (struct output *output, const char *name, const char *problem)
{
  json_object_array_add (output->problems, json_problem (NULL, name, problem));
  output_flush ();
  fprintf (stderr, "hugetext prime: %s: %s\n", name, problem);
}

static struct json_object *
counts_json (const struct prime_counts *counts)
{
  struct json_object *json = json_object_new_object ();
  json_set_number (json, "huge", counts->huge);
  json_set_number (json, "small", counts->small);
  json_set_number (json, "not_cached", counts->unread);
  return json;
}

static struct json_object *
file_json (const struct primed *primed)
{
  static const char *const actions[] = { "nothing", "read" };
  struct json_object *json = json_object_new_object ();
  struct json_object *users = json_object_new_array ();
  for (size_t i = 0; i < primed->users.count && i < FILEUSERS_NAMED; i++)
    {
      struct json_object *user = json_object_new_object ();
      json_set_number (user, "pid", primed->users.first[i].pid);
      json_set_string (user, "name", primed->users.first[i].name);
      json_object_array_add (users, user);
    }
  char seconds[32];
  snprintf (seconds, sizeof seconds, "%.3f", primed->seconds);
  json_set_string (json, "name", primed->path);
  json_set_number (json, "blocks", primed->blocks);
  json_object_object_add (json, "before", counts_json (&primed->before));
  json_object_object_add (json, "after", counts_json (&primed->after));
  json_set_string (json, "action", actions[primed->action]);
  json_set_true_false (json, "done", primed->done);
  json_set_string (json, "problem",
                   primed->problem[0] != '\0' ? primed->problem : NULL);
  json_set_number (json, "processes", primed->users.count);
  json_object_object_add (json, "some_processes", users);
  json_object_object_add (json, "seconds",
                          json_object_new_double_s (primed->seconds,
                                                    seconds));
  return json;
}

/* Print what became of PRIMED.  */
static void
print_file (const struct options *options, const struct primed *primed)
{
  static const char *const would[]
      = { "stays as it is", "would be read again" };
  const struct prime_counts *before = &primed->before;
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return;
  fprintf (stream, "%s: %zu of %zu blocks huge", primed->path,
           primed->after.huge, primed->blocks);
  if (options->how.dry_run)
    fprintf (stream, ", %zu small, %zu not cached: %s", before->small,
             before->unread, would[primed->action]);
  else if (primed->action == PRIME_NOTHING)
    fprintf (stream, primed->done ? " already" : ", %zu small, %zu not cached",
             before->small, before->unread);
  else
    fprintf (stream, ", %zu before", before->huge);
  if (fclose (stream) == 0)
    terminal_fill (stdout, 0, 4, text);
  free (text);
}

/* Say on a terminal that file I of COUNT, NAME, is next.  */
static void
begin_progress (size_t i, size_t count, const char *name)
{
  output_flush ();
  if (count > 1 && isatty (STDERR_FILENO))
    fprintf (stderr, "%zu of %zu: %.60s", i + 1, count, name);
}

/* And take that away.  */
static void
end_progress (void)
{
  /* ECMA-48: erase the line.  */
  if (isatty (STDERR_FILENO))
    output_control (stderr, "\r\033[K");
}

/* Prime NAME, which is not NAMED by the user if it is a service's.  */
static bool
prime (const struct options *options, struct output *output, const char *name,
       bool named)
{
  struct primed primed;
  prime_file (name, &options->how, &primed);
  end_progress ();
  if (options->json)
    json_object_array_add (output->files, file_json (&primed));
  else if (primed.blocks > 0)
    print_file (options, &primed);
  if (primed.useless && !named)
    {
      /* Nobody has asked for it.  */
      if (!options->json)
        printf ("%s: %s\n", primed.path, primed.problem);
      return true;
    }
  if (primed.problem[0] != '\0')
    say_problem (output, primed.path, primed.problem);
  return primed.done;
}

/* Prime FILES, of which the first NAMED were named.  */
static bool
prime_all (const struct options *options, struct output *output,
           const struct file_list *files, size_t named)
{
  bool good = true;
  for (size_t i = 0; i < files->count; i++)
    {
      begin_progress (i, files->count, files->names[i]);
      if (!prime (options, output, files->names[i], i < named))
        good = false;
    }
  return good;
}

/* Of the JSON: keys may be added to a version, but none goes, and none
   changes what it means.  */
#define VERSION 1

int
command_prime (int argc, char **argv)
{
  struct options options = { .json = false };
  struct file_list files = { 0 };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  struct output output = { .files = json_object_new_array (),
                           .problems = json_object_new_array () };
  bool good = true;
  for (char **word = options.files; word != NULL && *word != NULL; word++)
    good = file_list_add (&files, *word) && good;
  size_t named = files.count;
  for (size_t i = 0; i < options.services.count; i++)
    {
      const char *problem
          = prime_service (options.services.names[i], &files);
      if (problem != NULL)
        {
          say_problem (&output, options.services.names[i], problem);
          good = false;
        }
    }
  if (!prime_all (&options, &output, &files, named))
    good = false;
  file_list_free (&files);
  file_list_free (&options.services);

  struct json_object *all = json_object_new_object ();
  json_set_number (all, "version", VERSION);
  json_object_object_add (all, "files", output.files);
  json_object_object_add (all, "problems", output.problems);
  if (options.json)
    json_print (stdout, all, false);
  else
    json_object_put (all);
  return good ? STATUS_OK : STATUS_PARTLY;
}
