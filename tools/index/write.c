/* Replace the index file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command writes the new index to a temporary file, and then renames the
   file, because a program that starts at any moment must find either the
   complete old index or the complete new index.

   If several commands write an index at the same time, the last one to write
   it must have read the newest settings.  So each command first changes its
   source of the index (such as a settings file), then takes a lock, and only
   then reads all sources and compiles the index.  A command holds the lock
   only briefly, because a service may be waiting for the lock.  */

#include "index/write.h"
#include "image/directory.h"
#include "index/build.h"
#include "index/profile-heat.h"
#include "trust/lock.h"
#include "trust/rewrite.h"
#include "util/clock.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of milliseconds for which a command waits while another command
   writes an index.  Normally a command holds the lock for much less than this
   time.  */
#define WAIT 5000

/* Take the lock for writing an index, and return its descriptor.  The process
   holds the lock until this descriptor is closed.  If the user is not root, or
   if another process holds the lock for too long, return -1; the caller then
   continues without the lock.  */
static int
lock_index (void)
{
  struct problem problem;
  return lock_take ("/run/hugetext-index.lock", clock_milliseconds () + WAIT,
                    NULL, NULL, &problem);
}

/* Return true if an index of CONFIG, STORE and HEATS would contain any
   record.  */
static bool
has_any (const struct config *config, const struct store *store,
         const struct index_heats *heats)
{
  bool any = heats->count > 0;
  for (size_t i = 0; i < config->count; ++i)
    any |= config->sections[i].given != 0;
  for (size_t i = 0; i < store->count; ++i)
    any |= !problem_is (&store->files[i].problem);
  return any;
}

/* Write an index of CONFIG, STORE and HEATS to FILE.  */
static bool
index_write_install_index (const struct config *config,
                           const struct store *store,
                           const struct index_heats *heats, const char *file,
                           struct problem *problem)
{
  char *image, directory[PATH_MAX];
  size_t size;
  if (!has_any (config, store, heats))
    return rewrite_remove (file, problem);
  if (!index_build (config, store, heats, &image, &size, problem))
    return false;
  snprintf (directory, sizeof directory, "%s", file);
  const bool good = (rewrite_directory (dirname (directory), NULL, problem)
                     && rewrite_data (file, image, size, problem));
  free (image);
  return good;
}

/* Compile CONFIG into FILE, with profiles and images.  */
static bool
update (const struct config *config, const char *file, config_say *say,
        void *closure)
{
  struct store store = { .count = 0 };
  struct index_heats heats;
  char profiles[PATH_MAX];
  const char *what = file;
  struct problem problem;
  bool good = true;
  profile_heat_path (file, profiles);
  profile_heat_read (&heats, config, profiles, file, say, closure);
  if (strcmp (file, INDEX_PATH) == 0 && !store_read (&store, &problem))
    {
      what = store_directory ();
      good = false;
    }
  else
    good = index_write_install_index (config, &store, &heats, file, &problem);
  if (!good)
    config_tell (say, closure, true, "%s: %s", what, problem.text);
  profile_heat_free (&heats);
  store_free (&store);
  return good;
}

bool
index_update (const char *path, const char *file, config_say *say,
              void *closure)
{
  struct config config;
  char place[PATH_MAX];
  int lock = lock_index ();
  snprintf (place, sizeof place, "%s", file);
  if (lock >= 0)
    rewrite_clean (dirname (place));
  bool good = config_read (path, &config, say, closure)
              && update (&config, file, say, closure);
  config_free (&config);
  if (lock >= 0)
    close (lock);
  return good;
}
