/* hugetext guard: the steps before an enabled service starts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The service's drop-in binds a copy of the loader over the system's, if there
   is one (dropin.c).  The guard makes the copy, or leaves it out: then the
   service starts as without it.  So the guard never ends with a failure.  */

#include "index/write.h"
#include "object/loader.h"
#include "service/parts.h"
#include "store/sync.h"

#include <stdio.h>
#include <unistd.h>

/* The seconds that a service waits for images at most,  */
#define PATIENCE 10
/* and for the whole guard: a copy, two trials and an index.  */
#define LIMIT 60

static void
say (void *closure, bool wrong, const char *line)
{
  (void) closure;
  if (wrong)
    fprintf (stderr, "hugetext guard: %s\n", line);
}

/* Bring the images for the unit NAME up to date: a package manager restarts
   services before it is done.  */
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
      /* Take a quarter of the time that systemd allows for the start.  */
      if (unit.patience > 0 && unit.patience / 4000 < PATIENCE)
        seconds = unit.patience / 4000;
      unit_free (&unit);
    }
  if (seconds > 0)
    store_renew (&entry, seconds);
  entry_free (&entry);
}

void
service_guard (const char *name, const char *given)
{
  struct loader system;
  struct problem problem;
  /* A signal ends the guard if it waits too long, so that the service
     starts.  */
  alarm (LIMIT);
  if (loader_read (loader_system (), &system) && system.ours)
    return;
  if (!bound_make (name, loader_path (given), &problem))
    {
      fprintf (stderr,
               "hugetext guard: %s starts under the system's loader: %s\n",
               name, problem.text);
      return;
    }
  /* Compile a missing index: an administrator may remove files in
     /var/cache.  */
  if (access (INDEX_PATH, F_OK) < 0)
    index_update (CONFIG_PATH, INDEX_PATH, say, NULL);
  renew_store (name);
}
