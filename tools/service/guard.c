/* hugetext guard: the steps before an enabled service starts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The service's drop-in binds the loader over the system's, if there is a link
   to it (dropin.c).  The guard makes the link, or leaves it out: then the
   service starts as without it.  So the guard never ends with a failure.  */

#include "index/write.h"
#include "object/loader.h"
#include "service/parts.h"
#include "store/sync.h"
#include "trust/rewrite.h"
#include "trust/trusted.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The seconds that a service waits for images at most,  */
#define PATIENCE 5
/* and for the whole guard: a trial, an index and images.  */
#define LIMIT 30

static void
say (void *closure, bool wrong, const char *line)
{
  (void) closure;
  if (wrong)
    fprintf (stderr, "hugetext guard: %s\n", line);
}

/* Link LOADER to the place from which NAME's drop-in binds it, if it is root's
   and the trial is good.  */
static bool
bind_loader (const char *name, const char *loader, struct problem *problem)
{
  const char *wrong, *link = dropin_bound (name);
  char folder[PATH_MAX];
  unlink (link);
  if (!trial_fits (loader, problem))
    return false;
  /* The trial runs the loader, so it has to be root's before.  */
  int fd = trusted_open (loader, &wrong);
  if (fd < 0)
    return problem_set (problem, "%s: %s", loader, wrong);
  close (fd);
  return (service_try (loader, problem)
          && ((rewrite_folder (dirname (strcpy (folder, link)), NULL)
               && symlink (loader, link) == 0)
              || problem_errno (problem, link)));
}

void
service_guard (const char *name, const char *given)
{
  struct loader system;
  struct problem problem;
  struct entry entry;
  /* A signal ends the guard if it waits too long, so that the service
     starts.  */
  alarm (LIMIT);
  if (loader_read (loader_system (), &system) && system.ours)
    return;
  if (!bind_loader (name, loader_path (given), &problem))
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
  /* A package manager restarts services before it is done, and so before
     their images are up to date.  */
  if (entry_read (name, &entry))
    {
      store_renew (&entry, PATIENCE);
      entry_free (&entry);
    }
}
