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
#include "store-refresh.h"
#include "store-verify.h"
#include "unit.h"

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
  const char *config, *index, *store;
  bool all, running, json;
  enum verb verb;
  pid_t pid;
  struct file_list services;
  int64_t end; /* On store_clock, or 0.  */
  char **words; /* What comes behind the verb.  */
};

enum
{
  KEY_ALL = 0x100,
  KEY_CONFIG,
  KEY_INDEX,
  KEY_RUNNING,
  KEY_SERVICE,
  KEY_STORE,
  KEY_TIME,
};

static const struct argp_option option_list[] = {
  { "all", KEY_ALL, NULL, 0,
    "Add what settings switch on, and what is there anew", 0 },
  { "running", KEY_RUNNING, NULL, 0, "Add what all processes have mapped",
    0 },
  { "process", 'p', "PID", 0, "Add what process PID has mapped", 0 },
  { "service", KEY_SERVICE, "UNIT", 0,
    "Add what UNIT's processes have mapped", 0 },
  { "time", KEY_TIME, "SECONDS", 0, "Begin nothing after that", 0 },
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
  options_fail ("%s: must be one of add, check, list, gc, refresh", word);
}

/* Whether the verb changes the store.  */
static bool
changes (const struct options *options)
{
  return options->verb != VERB_CHECK && options->verb != VERB_LIST;
}

/* Seconds for what was begun within the time.  */
#define GRACE 30

/* Set the end of what is begun now and may take WORD, in seconds.  */
static void
take_time (struct options *options, const char *word)
{
  char *end;
  long seconds = strtol (word, &end, 10);
  if (end == word || *end != '\0' || seconds < 1 || seconds > 86400)
    options_fail ("--time=%s: must be seconds, 1 to 86400", word);
  options->end = store_clock () + seconds * 1000;
  /* What keeps us from looking at the clock, as a file system that does not
     answer, ends us: the store is right at any moment.  */
  alarm (seconds + GRACE);
}

static void
check_options (const struct options *options)
{
  int ways = options->all + options->running + (options->pid != 0)
             + (options->services.count > 0)
             + (options->words != NULL && options->words[0] != NULL);
  if (options->words == NULL)
    options_fail ("what? add, check, list, gc or refresh; --help says more");
  if (options->verb == VERB_ADD && ways == 0)
    options_fail ("add: what? must be one of FILE..., --all, --running,"
                  " -p PID, --service=UNIT");
  if (options->verb != VERB_ADD && ways != 0)
    options_fail ("%s takes no files; --all, --running, -p and --service are"
                  " for add",
                  verbs[options->verb]);
  if (options->end != 0 && options->verb != VERB_ADD
      && options->verb != VERB_REFRESH)
    options_fail ("--time is for add and refresh");
  if (options->json && options->verb != VERB_LIST)
    options_fail ("--json is for list only");
  if (geteuid () != 0 && changes (options))
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
    case KEY_SERVICE:
      return file_list_add (&options->services, arg) ? 0 : ENOMEM;
    case KEY_TIME:
      take_time (options, arg);
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
  .args_doc = "add FILE...|--all|--running|-p PID\n"
              "check|list|gc|refresh",
  .doc = "Keep images of text on huge pages, in files that all processes"
         " share.\v"
         "add makes images of programs and all libraries that they need,"
         " check compares them with their files, gc removes what is of no use"
         " any more, refresh makes what is out of date anew and does gc. The"
         " exit status is 0, 1 if anything is wrong or could not be had, 2 if"
         " an option is wrong.",
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

/* Add what the unit NAME runs and starts.  */
static void
add_service (struct objects *objects, const char *name)
{
  struct unit unit;
  pid_t *list;
  const char *full = unit_name (name);
  const char *problem = full == NULL ? "no unit can have this name"
                                     : unit_read (full, &unit);
  if (problem != NULL)
    {
      say (name, problem);
      return;
    }
  size_t count = unit_processes (&unit, &list);
  for (size_t i = 0; i < count; i++)
    objects_add_process (objects, list[i], say);
  free (list);
  if (unit.root[0] == '\0')
    objects_add_path (objects, unit.command);
  if (objects->files.count == 0)
    say (name, "it does not run, and its program cannot be told");
  unit_free (&unit);
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
  for (size_t i = 0; i < options->services.count; i++)
    add_service (objects, options->services.names[i]);
  if (options->pid != 0)
    objects_add_process (objects, options->pid, say);
  if (options->running)
    objects_add_running (objects);
  else
    objects_add_needed (objects);
}

/* Note that OBJECTS were asked for.  */
static void
note (const struct store *store, const struct objects *objects)
{
  struct store_users users;
  const char *problem
      = store_users_read (&users, store->path, entry_folder ());
  if (problem == NULL)
    problem = store_users_note (store->path, &users, &objects->files);
  if (problem != NULL)
    say (store->path, problem);
  store_users_free (&users);
}

/* Add OBJECTS, and with --all what STORE takes as well, to STORE.  */
static void
add (const struct options *options, const struct store *store,
     struct objects *objects)
{
  struct store_how how
      = { .end = options->end, .watched = true, .say = say };
  if (options->all)
    find_objects (options, store, objects);
  struct store_added added = store_add (store, objects, &how);
  /* With --all what is for somebody else stays so.  */
  if (!options->all && added.made + added.there > 0)
    note (store, objects);
  if (added.late)
    say (store->path, "the time is over; there is more to be added");
}

/* Remove from STORE what is of no use.  */
static void
collect (const struct store *store)
{
  struct store_users users;
  const char *problem
      = store_users_read (&users, store->path, entry_folder ());
  if (problem == NULL)
    store_gc (store, &users, false, say);
  else
    say (store->path, problem);
  store_users_free (&users);
}

/* Change the store, and have the index say so.  */
static void
change (const struct options *options)
{
  struct store store;
  int lock;
  struct objects objects = { .end = options->end };
  const bool named = options->verb == VERB_ADD && !options->all;
  /* If none of what was named can be had, there need not be a store.  */
  if (named)
    find_objects (options, NULL, &objects);
  if (named && objects.files.count == 0)
    return;
  const char *problem
      = store_lock (options->store, &lock, options->end, say_waiting);
  if (problem != NULL)
    {
      say (options->store, problem);
      objects_free (&objects);
      return;
    }
  problem = store_read (&store, options->store);
  if (problem != NULL)
    say (options->store, problem);
  else if (options->verb == VERB_ADD)
    add (options, &store, &objects);
  else
    collect (&store);
  store_free (&store);
  objects_free (&objects);
  if (!index_update_store (options->config, options->index, options->store,
                           say_line, NULL))
    failed = true;
  close (lock);
}

/* Say PROBLEM about WHAT, which may be no failure.  */
static void
mention (const char *what, const char *problem)
{
  bool before = failed;
  say (what, problem);
  failed = before;
}

/* Have the store up to date, with nobody looking on.  */
static void
refresh (const struct options *options)
{
  const struct store_place place = { .config = options->config,
                                     .index = options->index,
                                     .folder = options->store };
  const struct store_how how = { .end = options->end,
                                 .brief = true,
                                 .say = mention };
  if (access (options->store, F_OK) == 0 && !store_refresh (&place, &how))
    failed = true;
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
  if (options.verb == VERB_REFRESH)
    refresh (&options);
  else if (changes (&options))
    change (&options);
  else
    look (&options);
  return failed ? STATUS_PARTLY : STATUS_OK;
}
