/* "hugetext store": keep images of text that all processes share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "command.h"
#include "config.h"
#include "index-write.h"
#include "inspect.h"
#include "options.h"
#include "store-add.h"
#include "store-list.h"

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
  VERBS,
};

static const char *const verbs[VERBS] = { "add", "check", "list", "gc" };

struct options
{
  const char *config, *index, *store;
  bool all, running, json;
  enum verb verb;
  pid_t pid;
  char **words; /* What comes behind the verb.  */
};

enum
{
  KEY_ALL = 0x100,
  KEY_CONFIG,
  KEY_INDEX,
  KEY_RUNNING,
  KEY_STORE,
};

static const struct argp_option option_list[] = {
  { "all", KEY_ALL, NULL, 0,
    "Add all programs that " CONFIG_PATH " switches on, and the present"
    " versions of what is in the store", 0 },
  { "running", KEY_RUNNING, NULL, 0, "Add what all processes have mapped",
    0 },
  { "process", 'p', "PID", 0, "Add what process PID has mapped", 0 },
  { "store", KEY_STORE, "DIR", 0,
    "Use DIR, not the folder \"store\" beside the index", 0 },
  { "config", KEY_CONFIG, "FILE", 0, "Use FILE, not " CONFIG_PATH, 0 },
  { "index", KEY_INDEX, "FILE", 0, "Use FILE, not " INDEX_PATH, 0 },
  { 0 },
};

/* What is wrong decides about the exit status.  */
static bool failed;

/* Set the verb: options may come behind it, then words.  */
static void
take_verb (struct options *options, const char *word)
{
  static char *none[] = { NULL };
  options->words = none;
  for (options->verb = 0; options->verb < VERBS; options->verb++)
    if (strcmp (word, verbs[options->verb]) == 0)
      return;
  options_fail ("%s: must be one of add, check, list, gc", word);
}

static void
check_options (const struct options *options)
{
  int ways = options->all + options->running + (options->pid != 0)
             + (options->words != NULL && options->words[0] != NULL);
  if (options->words == NULL)
    options_fail ("what? add, check, list or gc; --help says more");
  if (options->verb == VERB_ADD && ways == 0)
    options_fail ("add: what? must be one of FILE..., --all, --running,"
                  " -p PID");
  if (options->verb != VERB_ADD && ways != 0)
    options_fail ("%s takes no files; --all, --running and -p are for add",
                  verbs[options->verb]);
  if (options->json && options->verb != VERB_LIST)
    options_fail ("--json is for list only");
  if (geteuid () != 0
      && (options->verb == VERB_ADD || options->verb == VERB_GC))
    options_fail ("%s: only root's images are used; must be run by root",
                  verbs[options->verb]);
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->json;
      return 0;
    case KEY_ALL:
      options->all = true;
      return 0;
    case KEY_RUNNING:
      options->running = true;
      return 0;
    case 'p':
      options->pid = inspect_pid (arg);
      if (options->pid <= 0)
        options_fail ("-p %s: must be the ID of a process", arg);
      return 0;
    case KEY_STORE:
      options->store = arg;
      return 0;
    case KEY_CONFIG:
      options->config = arg;
      return 0;
    case KEY_INDEX:
      options->index = arg;
      return 0;
    case ARGP_KEY_ARG:
      if (options->words != NULL)
        return ARGP_ERR_UNKNOWN;
      take_verb (options, arg);
      return 0;
    case ARGP_KEY_ARGS:
      options->words = options_words (state, "files");
      return 0;
    case ARGP_KEY_END:
      check_options (options);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = { { &options_json, 0, NULL, 0 },
                                              { 0 } };

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "add FILE...|--all|--running|-p PID\ncheck|list|gc",
  .doc = "Keep images of programs' text on huge pages, in files that all"
         " processes share.\v"
         "add makes images of programs and all libraries that they need,"
         " check compares all images with the files that they are of, list"
         " says what there is, and gc removes what no file matches any more."
         " The exit status is 0, 1 if anything is wrong or could not be had,"
         " 2 if an option is wrong.",
};

/* Say PROBLEM about WHAT.  */
static void
say (const char *what, const char *problem)
{
  failed = true;
  fflush (stdout);
  fprintf (stderr, "hugetext store: %s: %s\n", what, problem);
}

/* Say LINE about the configuration.  */
static void
say_line (void *closure, bool wrong, const char *line)
{
  (void)closure;
  failed |= wrong;
  fflush (stdout);
  fprintf (stderr, "hugetext store: %s%s\n", wrong ? "" : "warning: ", line);
}

static void
say_waiting (const char *path)
{
  fprintf (stderr, "hugetext store: %s: somebody else is changing it;"
                   " waiting\n",
           path);
}

/* Find out what is to be added to STORE.  */
static void
find_objects (const struct options *options, const struct store *store,
              struct objects *objects)
{
  for (char **word = options->words; *word != NULL; word++)
    objects_add_file (objects, *word, say);
  if (options->all)
    {
      struct config config;
      if (config_read (options->config, &config, say_line, NULL))
        objects_add_config (objects, &config);
      config_free (&config);
      objects_add_store (objects, store);
    }
  if (options->pid != 0)
    objects_add_process (objects, options->pid, say);
  if (options->running)
    objects_add_running (objects);
  else
    objects_add_needed (objects, say);
}

static void
add (const struct options *options, const struct store *store)
{
  struct objects objects = { 0 };
  find_objects (options, store, &objects);
  store_add (store, &objects, say);
  objects_free (&objects);
}

/* Change the store, and have the index say so.  */
static void
change (const struct options *options)
{
  struct store store;
  int lock;
  const char *problem = store_lock (options->store, &lock, say_waiting);
  if (problem != NULL)
    {
      say (options->store, problem);
      return;
    }
  problem = store_read (&store, options->store);
  if (problem != NULL)
    say (options->store, problem);
  else if (options->verb == VERB_ADD)
    add (options, &store);
  else
    store_gc (&store, say);
  store_free (&store);
  if (!index_update_store (options->config, options->index, options->store,
                           say_line, NULL))
    failed = true;
  close (lock);
}

/* Look at the store.  */
static void
look (const struct options *options)
{
  struct store store;
  const char *problem = store_read (&store, options->store);
  if (problem != NULL)
    say (options->store, problem);
  else if (options->verb == VERB_LIST)
    store_list (&store, options->index, options->json);
  else
    store_check (&store, options->index, say);
  store_free (&store);
}

/* Set PATH to the store that OPTIONS mean.  */
static void
find_store (struct options *options, char path[static PATH_MAX])
{
  if (options->store == NULL)
    store_path (options->index, path);
  else if (realpath (options->store, path) == NULL)
    options_fail ("--store=%s: %s; must be a folder", options->store,
                  strerror (errno));
  if (path[0] != '/')
    options_fail ("--index=%s: must be an absolute path", options->index);
  options->store = path;
}

int
command_store (int argc, char **argv)
{
  static char path[PATH_MAX];
  struct options options = { .config = CONFIG_PATH, .index = INDEX_PATH };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  find_store (&options, path);
  if (strlen (path) > HUGETEXT_SOURCE_MAX - 84)
    options_fail ("%s: must be shorter than %d bytes", path,
                  HUGETEXT_SOURCE_MAX - 84);
  if (options.verb == VERB_ADD || options.verb == VERB_GC)
    change (&options);
  else
    look (&options);
  return failed ? STATUS_PARTLY : STATUS_OK;
}
