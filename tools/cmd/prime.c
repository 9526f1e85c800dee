/* "hugetext prime": have files cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "store/prime.h"
#include "text/answer.h"
#include "util/options.h"
#include "util/output.h"
#include "util/terminal.h"

#include <stdio.h>
#include <string.h>

struct options
{
  bool dry_run, json;
  struct file_list services;
  char **files; /* Or NULL.  */
};

static const struct command_option option_list[] = {
  { "service", 0, "SERVICE",
    "The programs and libraries of a service of systemd's with much text",
    take_name, offsetof (struct options, services) },
  { "dry-run", 'n', NULL, "Only say what would be done", take_flag,
    offsetof (struct options, dry_run) },
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "FILE...",
  .words = "files",
  .field = offsetof (struct options, files),
  .doc
  = "Have FILEs, programs and libraries whose own huge pages fit their text,"
    " cached in huge pages: what is cached in small ones is dropped, where"
    " nobody has it mapped, and read again."
    "\vThe exit status is 0, 1 if not all is on huge pages in the end, 2 if an"
    " option is wrong.",
};

static struct answer answer;
static struct json_object *primed_files;

static void
say (const char *name, const char *problem)
{
  answer_problem (&answer, NULL, name, problem);
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
  struct json_object *json = json_object_new_object ();
  json_set_string (json, "name", primed->path);
  json_set_number (json, "blocks", primed->blocks);
  json_object_object_add (json, "before", counts_json (&primed->before));
  json_object_object_add (json, "after", counts_json (&primed->after));
  json_set_string (json, "action", primed->read ? "read" : "nothing");
  json_set_true_false (json, "done", primed->done);
  json_set_string (json, "problem",
                   primed->problem[0] != '\0' ? primed->problem : NULL);
  return json;
}

/* Print what became of PRIMED.  */
static void
print_file (const struct options *options, const struct primed *primed)
{
  const struct prime_counts *before = &primed->before;
  char rest[96];
  if (primed->read && !options->dry_run)
    snprintf (rest, sizeof rest, ", %zu before", before->huge);
  else if (primed->done && !options->dry_run)
    strcpy (rest, " already");
  else
    snprintf (rest, sizeof rest, ", %zu small, %zu not cached%s",
              before->small, before->unread,
              !options->dry_run ? ""
              : primed->read    ? ": would be read again"
                                : ": stays as it is");
  terminal_say (stdout, 4, "%s: %zu of %zu blocks huge%s", primed->path,
                primed->after.huge, primed->blocks, rest);
}

/* Prime NAME, which is not NAMED by the user if it is a service's.  */
static bool
prime (const struct options *options, const char *name, bool named)
{
  struct primed primed;
  prime_file (name, options->dry_run, &primed);
  if (options->json)
    json_object_array_add (primed_files, file_json (&primed));
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
    say (primed.path, primed.problem);
  return primed.done;
}

int
command_prime (int argc, char **argv)
{
  struct options options = { .json = false };
  struct file_list files = { 0 };
  bool good = true;
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  if (options.files == NULL && options.services.count == 0)
    options_fail ("which files? hugetext prime [OPTION...] FILE..., or"
                  " --service=SERVICE");
  answer_begin (&answer, "prime", options.json);
  primed_files = answer_array (&answer, "files");
  for (char **word = options.files; word != NULL && *word != NULL; ++word)
    if (!prime (&options, *word, true))
      good = false;
  for (size_t i = 0; i < options.services.count; ++i)
    if (!prime_service (options.services.names[i], &files, say))
      good = false;
  for (size_t i = 0; i < files.count; ++i)
    if (!prime (&options, files.names[i], false))
      good = false;
  file_list_free (&files);
  file_list_free (&options.services);

  answer_end (&answer);
  return good ? STATUS_OK : STATUS_PARTLY;
}
