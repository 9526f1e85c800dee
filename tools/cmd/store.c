/* "hugetext store": the images of text that all processes share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "store/state.h"
#include "store/sync.h"
#include "store/verify.h"
#include "text/json.h"
#include "text/inspect.h"
#include "util/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum verb
{
  VERB_ADD,
  VERB_CHECK,
  VERB_LIST,
  VERB_GC,
  VERB_REFRESH,
  VERBS,
};

static const char *const verbs[VERBS]
    = { "add", "check", "list", "gc", "refresh" };

struct options
{
  struct store_place place;
  bool json;
  enum verb verb;
  pid_t pid;
  char **words; /* The words behind the store's verb.  */
};

/* Take the store's verb: options may follow it, then words.  */
static const char *
take_verb (void *input, const char *word)
{
  static char *none[] = { NULL };
  struct options *options = input;
  options->words = none;
  for (options->verb = 0; options->verb < VERBS; ++options->verb)
    if (strcmp (word, verbs[options->verb]) == 0)
      return NULL;
  return "one of add, check, list, gc, refresh";
}

static const char *
take_process (void *field, const char *argument)
{
  pid_t pid = inspect_pid (argument);
  *(pid_t *) field = pid;
  return pid > 0 ? NULL : "the ID of a process";
}

static const struct command_option option_list[] = {
  { "process", 'p', "PID", "Add what process PID has mapped", take_process,
    offsetof (struct options, pid) },
  { "store", 0, "DIR", "Use DIR, not the folder \"store\" beside the index",
    take_word, offsetof (struct options, place.folder) },
  { "config", 0, "FILE", "Use FILE, not " CONFIG_PATH, take_word,
    offsetof (struct options, place.config) },
  { "index", 0, "FILE", "Use FILE, not " INDEX_PATH, take_word,
    offsetof (struct options, place.index) },
  OPTION_JSON (offsetof (struct options, json)),
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "add FILE...|-p PID\n"
               "check|list|gc|refresh",
  .take_first = take_verb,
  .words = "files",
  .field = offsetof (struct options, words),
  .doc = "Keep images of text on huge pages, in files that all processes"
         " share.\v"
         "add makes images of programs and all libraries that they need,"
         " check compares them with their files, gc removes what is of no use"
         " any more, refresh makes what is out of date anew and does gc. The"
         " exit status is 0, 1 if anything is wrong or could not be had, 2 if"
         " an option is wrong.",
};

/* Whether the store's verb changes the store.  */
static bool
changes (const struct options *options)
{
  return options->verb != VERB_CHECK && options->verb != VERB_LIST;
}

static void
check_options (const struct options *options)
{
  if (options->words == NULL)
    options_fail ("what? add, check, list, gc or refresh; --help says more");
  const bool named = options->pid != 0 || options->words[0] != NULL;
  if (options->verb == VERB_ADD && !named)
    options_fail ("add: what? must be FILE... or -p PID");
  if (options->verb != VERB_ADD && named)
    options_fail ("%s takes no files; -p is for add", verbs[options->verb]);
  if (geteuid () != 0 && changes (options))
    options_fail ("%s: only root's images are used; must be run by root",
                  verbs[options->verb]);
}

/* The answer: lines as they come, or JSON at the end.  Problems go to standard
   error in both cases.  */
static struct
{
  bool brief;
  bool failed; /* A failure was reported, which decides the exit status.  */
  struct json_object *images;
  struct answer answer;
} output;

/* Report PROBLEM about WHAT, which need not be a failure.  */
static void
mention (const char *what, const char *problem)
{
  answer_problem (&output.answer, NULL, what, problem);
}

/* Report PROBLEM about WHAT as a failure.  */
static void
say (const char *what, const char *problem)
{
  output.failed = true;
  mention (what, problem);
}

/* Report EVENT of an image.  */
static void
tell (const struct store_event *event)
{
  static const char *const actions[] = { "made", "none", "removed" };
  if (output.answer.json)
    {
      struct json_object *json = json_object_new_object ();
      json_set_string (json, "object", event->object);
      json_set_string (json, "action", actions[event->action]);
      json_set_number (json, "blocks", event->blocks);
      json_set_string (json, "reason", event->problem);
      json_object_array_add (output.images, json);
    }
  else if (event->action == STORE_MADE)
    printf ("%s: %zu block%s\n", event->object, event->blocks,
            event->blocks != 1 ? "s" : "");
  else if (event->action == STORE_REMOVED)
    printf ("%s: %s\n", event->object, event->problem);
  else if (!output.brief)
    printf ("%s: no image: %s\n", event->object, event->problem);
}

/* Add the COUNT numbers VALUES, with NAMES, to the JSON.  */
static void
add_numbers (const struct options *options, const char *const *names,
             const uint64_t *values, size_t count)
{
  struct json_object *json = output.answer.all;
  json_set_string (json, "verb", verbs[options->verb]);
  json_set_string (json, "store", options->place.folder);
  for (size_t i = 0; i < count; ++i)
    json_set_number (json, names[i], values[i]);
}

/* Print the sums of what was done.  */
static void
print_sums (const struct options *options, const struct store_added *added)
{
  const char *folder = options->place.folder;
  static const char *const names[]
      = { "made", "made_bytes", "there", "removed", "removed_bytes" };
  const uint64_t values[] = { added->made, added->size, added->there,
                              added->removed, added->freed };
  add_numbers (options, names, values, sizeof values / sizeof values[0]);
  if (output.answer.json)
    return;
  if (options->verb == VERB_ADD)
    printf ("%s: %zu images made (%llu MiB), %zu were there\n", folder,
            added->made, (unsigned long long) (added->size >> 20),
            added->there);
  else if (options->verb == VERB_GC)
    printf ("%s: %zu images removed (%llu MiB)\n", folder, added->removed,
            (unsigned long long) (added->freed >> 20));
}

/* Find the objects to be added.  */
static void
find_objects (const struct options *options, struct objects *objects)
{
  for (char **word = options->words; *word != NULL; ++word)
    objects_add_file (objects, *word, say);
  if (options->pid != 0)
    objects_add_process (objects, options->pid, say);
  objects_add_needed (objects);
}

/* Seconds after which refresh begins no new image,  */
#define REFRESH 1800
/* and seconds after which it is killed: a filesystem that does not answer, for
   example, delays it no longer.  The store is right at any moment.  */
#define REFRESH_LIMIT 1830

/* Change the store.  */
static void
change (const struct options *options)
{
  struct store_how how = { .who = "hugetext store", .say = say, .tell = tell };
  struct store_added added = { 0 };
  struct objects objects = { .end = 0 };
  bool good = true;
  if (options->verb == VERB_GC)
    good = store_collect (&options->place, &how, &added);
  else if (options->verb == VERB_ADD)
    {
      find_objects (options, &objects);
      /* If none of the named objects can have an image, a store is not
         needed.  */
      good = (objects.files.count == 0
              || store_add (&options->place, &objects, &how, &added));
    }
  /* Refresh runs without a user.  */
  else if (access (options->place.folder, F_OK) == 0)
    {
      how.end = store_clock () + REFRESH * 1000;
      how.who = NULL;
      how.brief = output.brief = true;
      how.say = mention;
      alarm (REFRESH_LIMIT);
      good = store_refresh (&options->place, &how, &added);
    }
  output.failed |= !good;
  if (output.answer.json || options->verb != VERB_ADD
      || objects.files.count > 0)
    print_sums (options, &added);
  objects_free (&objects);
}

/* Compare all images of the store with their objects.  */
static void
check (const struct options *options)
{
  static const char *const names[] = { "image_count", "right" };
  const struct store_place *place = &options->place;
  struct store store;
  const char *problem = store_read (&store, place->folder);
  uint64_t values[] = { 0, 0 };
  if (problem == NULL)
    {
      values[0] = store.count;
      values[1] = store_check (&store, place->index, say);
      if (!options->json)
        printf ("%s: %zu of %zu images are right\n", store.path,
                (size_t) values[1], store.count);
    }
  else
    say (place->folder, problem);
  add_numbers (options, names, values, 2);
  store_free (&store);
}

/* Set PATH to the store that OPTIONS name.  */
static void
find_store (struct options *options, char path[static PATH_MAX])
{
  struct store_place *place = &options->place;
  if (place->folder == NULL)
    store_path (place->index, path);
  else if (realpath (place->folder, path) == NULL)
    options_fail ("--store=%s: %s; must be a folder", place->folder,
                  strerror (errno));
  if (path[0] != '/')
    options_fail ("--index=%s: must be an absolute path", place->index);
  if (strlen (path) > HUGETEXT_SOURCE_MAX - 84)
    options_fail ("%s: must be shorter than %d bytes", path,
                  HUGETEXT_SOURCE_MAX - 84);
  place->folder = path;
}

int
command_store (int argc, char **argv)
{
  static char path[PATH_MAX];
  struct options options
      = { .place = { .config = CONFIG_PATH, .index = INDEX_PATH } };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  check_options (&options);
  find_store (&options, path);
  answer_begin (&output.answer, "store", options.json);
  if (options.verb != VERB_LIST)
    output.images = answer_array (&output.answer, "images");
  if (changes (&options))
    change (&options);
  else if (options.verb == VERB_CHECK)
    check (&options);
  else
    {
      const char *problem = store_list (path, options.place.index,
                                        options.json, output.answer.all);
      if (problem != NULL)
        say (path, problem);
    }
  answer_end (&output.answer);
  return output.failed ? STATUS_PARTLY : STATUS_OK;
}
