/* "hugetext store": manage the images of text that all processes share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "image/directory.h"
#include "store/state.h"
#include "store/sync.h"
#include "util/clock.h"
#include "util/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number of seconds after which "hugetext store refresh" begins no further
   image.  */
#define REFRESH 1800
/* The number of seconds after which "hugetext store refresh" is killed.  A
   refresh reaches this time limit if, for example, a filesystem does not
   answer.  The store stays consistent even if work on it is interrupted.  */
#define REFRESH_LIMIT 1830

/* "hugetext store refresh" reports success even if it has failed for some
   objects, because a timer runs "hugetext store refresh", and no user waits
   for its result.  */
static bool
refresh (struct store_work *work)
{
  if (access (store_directory (), F_OK) != 0)
    return true;
  work->end = clock_milliseconds () + REFRESH * 1000;
  work->brief = true;
  alarm (REFRESH_LIMIT);
  return store_refresh (work);
}

static bool
cmd_store_list_images (struct store_work *work)
{
  struct problem problem;
  const bool good = store_list (&problem);
  if (!good)
    work_say (work, store_directory (), problem.text);
  return good;
}

/* A verb of "hugetext store".  A verb that takes files has the function
   ACT_ON, any other verb has the function ACT.  */
struct verb
{
  const char *name;
  bool (*act) (struct store_work *work);
  bool (*act_on) (struct store_work *work, char **files);
  bool root; /* True if only root can run the verb.  */
};

static const struct verb verbs[] = {
  { "add", NULL, store_add, true },
  { "remove", NULL, store_remove, true },
  { "list", cmd_store_list_images, NULL, false },
  { "check", store_check, NULL, false },
  { "gc", store_collect, NULL, true },
  { "refresh", refresh, NULL, true },
};

struct options
{
  const struct verb *verb;
  char **words; /* The arguments after the verb of "hugetext store".  */
};

/* Use WORD as the verb of "hugetext store".  Options may follow this verb, and
   then other arguments.  */
static bool
take_verb (void *input, const char *word, struct problem *problem)
{
  static char *none[] = { NULL };
  struct options *options = input;
  options->words = none;
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i)
    if (strcmp (word, verbs[i].name) == 0)
      options->verb = &verbs[i];
  return options->verb != NULL
         || problem_set (problem,
                         "one of add, remove, check, list, gc, refresh");
}

static const struct command_usage usage = {
  .arguments = "add|remove FILE...\n"
               "check|list|gc|refresh",
  .take_first = take_verb,
  .words = "files",
  .field = offsetof (struct options, words),
  .doc
  = "Manage the store of images. An image is a file with the text of a "
    "program or library. The kernel caches images in huge pages, which all "
    "processes share.\v'add' makes images of each FILE and of the libraries "
    "that FILE needs. 'remove' undoes 'add' for each FILE, and then does the "
    "same as 'gc'. 'gc' removes outdated and unused images. An image is "
    "unused if no file named with 'add', no enabled service and no enabled "
    "program needs it. 'refresh' rebuilds outdated images, and then does the "
    "same as 'gc'. 'check' compares the images with their files. 'list' "
    "prints the images. The exit status is 0 on success, 1 if an image does "
    "not match its file or a step failed, 2 if an option is wrong.",
};

static void
cmd_store_check_options (const struct options *options)
{
  const struct verb *verb = options->verb;
  if (verb == NULL)
    options_fail ("no subcommand is named: use add, remove, check, list, "
                  "gc or refresh; --help describes them");
  if (verb->act_on != NULL && options->words[0] == NULL)
    options_fail ("no file is named: use hugetext store %s FILE...",
                  verb->name);
  if (verb->act_on == NULL && options->words[0] != NULL)
    options_fail ("%s takes no files", verb->name);
}

int
command_store (int argc, char **argv)
{
  struct options options = { .words = NULL };
  struct store_work work = { .who = "hugetext store", .tell = true };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  cmd_store_check_options (&options);
  const struct verb *verb = options.verb;
  if (verb->root && geteuid () != 0)
    {
      fprintf (stderr,
               "hugetext store: %s must be run by root: the loader uses only "
               "images that root has made\n",
               verb->name);
      return STATUS_PARTLY;
    }
  bool good = (verb->act != NULL ? verb->act (&work)
                                 : verb->act_on (&work, options.words));
  return good ? STATUS_OK : STATUS_PARTLY;
}
