/* "hugetext guard": what systemd runs before an enabled service starts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Its drop-in binds a copy of the loader over the system's, if there is one
   (dropin.c).  Here it is made, or not: then the service starts as without
   us.  So nothing that goes wrong here may be a failure for systemd.  */

#include "bound.h"
#include "command.h"
#include "entry.h"
#include "index-write.h"
#include "loader.h"
#include "options.h"
#include "store-refresh.h"
#include "trial.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options
{
  const char *loader;
  const char *tried; /* The loader that is on trial,  */
  long time;         /* and for how many milliseconds.  */
  bool inside;       /* We are what runs under it.  */
  char **words;
};

enum
{
  KEY_TRY = 0x100,
  KEY_TIME,
  KEY_TRIED,
};

static const struct argp_option option_list[] = {
  { "try", KEY_TRY, "FILE", OPTION_HIDDEN, NULL, 0 },
  { "time", KEY_TIME, "TIME", OPTION_HIDDEN, NULL, 0 },
  { "tried", KEY_TRIED, NULL, OPTION_HIDDEN, NULL, 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &options_loader, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->loader;
      return 0;
    case KEY_TRY:
      options->tried = arg;
      return 0;
    case KEY_TIME:
      options->time = strtol (arg, NULL, 10);
      return 0;
    case KEY_TRIED:
      options->inside = true;
      return 0;
    case ARGP_KEY_ARGS:
      options->words = options_words (state, "unit");
      return 0;
    case ARGP_KEY_NO_ARGS:
      options_fail ("for which unit? hugetext guard UNIT");
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "UNIT",
  .doc = "Put a copy of the loader where the drop-in of UNIT binds it, if the"
         " loader can take the place of the system's: it is for this libc, and"
         " a program runs under it. systemd runs this when UNIT starts; it"
         " never fails.",
};

/* Defined in debian/trial.c.  */
extern int trial_main (void);

static void
say (void *closure, bool wrong, const char *line)
{
  (void)closure;
  if (wrong)
    fprintf (stderr, "hugetext guard: %s\n", line);
}

/* The most seconds that a service waits for images,  */
#define PATIENCE 10
/* and for all that is done here: a copy, two trials and an index.  */
#define LIMIT 60

/* Have the images of what the unit NAME runs up to date: a package manager
   restarts services before it is done.  */
static void
renew_store (const char *name)
{
  struct entry entry;
  struct unit unit;
  int seconds = PATIENCE;
  if (!entry_read (name, &entry))
    return;
  if (unit_read (name, &unit) == NULL)
    {
      /* Of what systemd allows for its start the most is its own.  */
      if (unit.patience > 0 && unit.patience / 4000 < PATIENCE)
        seconds = unit.patience / 4000;
      unit_free (&unit);
    }
  if (seconds > 0)
    store_renew (&entry, seconds);
  entry_free (&entry);
}

int
command_guard (int argc, char **argv)
{
  struct options options = { 0 };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  const char *word = options.words[0];
  if (options.tried != NULL)
    return trial_enter (options.tried, word, options.time);
  if (options.inside && strcmp (word, "trial") == 0)
    return trial_main ();
  if (options.inside)
    {
      puts ("good");
      return STATUS_OK;
    }

  /* Whatever keeps us waiting does not keep the service.  */
  alarm (LIMIT);
  struct loader system;
  const char *unit = unit_name (word);
  if (unit == NULL || options.words[1] != NULL)
    usage_fail (STATUS_USAGE, "%s: must be one name of a unit", word);
  if (loader_read (loader_system (), &system) && system.ours)
    return STATUS_OK;
  const char *problem = bound_make (unit, loader_path (options.loader));
  if (problem != NULL)
    fprintf (stderr,
             "hugetext guard: %s starts under the system's loader: %s\n",
             unit, problem);
  else
    {
      /* Whatever is in /var/cache may be removed by anybody who needs room.  */
      if (access (INDEX_PATH, F_OK) < 0)
        index_update (CONFIG_PATH, INDEX_PATH, say, NULL);
      renew_store (unit);
    }
  return STATUS_OK;
}
