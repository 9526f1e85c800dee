/* The replacement of the index file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Programs start all the time, and must find the old index or the new one,
   whole.  So the new index is written under a name of its own and renamed.

   Several commands may write at a time: one that has read older settings must
   not write last.  So each command that has changed something compiles the
   index under a lock; the lock is held briefly, since a service may be waiting
   for the command.  */

#include "index/write.h"
#include "image/folder.h"
#include "index/build.h"
#include "index/profile-heat.h"
#include "trust/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Take the lock for writing an index, until the returned descriptor is closed.
   Return -1 for a user other than root, or if another process has the lock for
   5 seconds, which no command does: then go on without it.  */
static int
lock_index (void)
{
  /* The file has the flags of apply_lock's.  */
  int fd = open ("/run/hugetext-index.lock",
                 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  for (int i = 0; fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0; ++i)
    {
      if (i == 50)
        {
          close (fd);
          return -1;
        }
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
    }
  return fd;
}

/* Whether an index of CONFIG, STORE and HEATS would have any record.  */
static bool
has_any (const struct config *config, const struct store *store,
         const struct index_heats *heats)
{
  bool any = heats->count > 0;
  for (size_t i = 0; i < config->count; ++i)
    any |= config->sections[i].given != 0;
  for (size_t i = 0; i < store->count; ++i)
    any |= store->files[i].problem == NULL;
  return any;
}

/* Write CONFIG, STORE and HEATS to FILE.  */
static bool
install (const struct config *config, const struct store *store,
         const struct index_heats *heats, const char *file, config_say *say,
         void *closure)
{
  char *image, folder[PATH_MAX];
  size_t size;
  const char *problem = index_build (config, store, heats, &image, &size);
  if (problem != NULL)
    {
      config_tell (say, closure, true, "%s: %s", file, problem);
      return false;
    }
  snprintf (folder, sizeof folder, "%s", file);
  bool good = (rewrite_folder (dirname (folder))
               && rewrite_data (file, image, size));
  if (!good)
    config_tell (say, closure, true, "%s cannot be written: %s", file,
                 strerror (errno));
  free (image);
  return good;
}

/* Remove FILE.  */
static bool
uninstall (const char *file, config_say *say, void *closure)
{
  /* A missing file needs no removal, even where nothing can be written.  */
  if ((faccessat (AT_FDCWD, file, F_OK, AT_SYMLINK_NOFOLLOW) != 0
       && (errno == ENOENT || errno == ENOTDIR))
      || unlink (file) == 0)
    return true;
  config_tell (say, closure, true, "%s cannot be removed: %s", file,
               strerror (errno));
  return false;
}

/* Compile CONFIG, the store in FOLDER and the profiles into FILE.  */
static bool
update (const struct config *config, const char *file, const char *folder,
        config_say *say, void *closure)
{
  struct store store;
  struct index_heats heats;
  char profiles[PATH_MAX];
  profile_heat_path (file, profiles);
  bool read = profile_heat_read (&heats, profiles, say, closure), good = false;
  if (!read)
    config_tell (say, closure, true, "%s: %s", profiles, strerror (errno));
  const char *problem = store_read (&store, folder);
  if (problem != NULL)
    config_tell (say, closure, true, "%s: %s", folder, problem);
  else if (read)
    good = (has_any (config, &store, &heats)
                ? install (config, &store, &heats, file, say, closure)
                : uninstall (file, say, closure));
  profile_heat_free (&heats);
  store_free (&store);
  return good;
}

bool
index_update_store (const char *path, const char *file, const char *folder,
                    config_say *say, void *closure)
{
  struct config config;
  char place[PATH_MAX];
  int lock = lock_index ();
  snprintf (place, sizeof place, "%s", file);
  if (lock >= 0)
    rewrite_clean (dirname (place));
  bool good = config_read (path, &config, say, closure)
              && update (&config, file, folder, say, closure);
  config_free (&config);
  if (lock >= 0)
    close (lock);
  return good;
}

bool
index_update (const char *path, const char *file, config_say *say,
              void *closure)
{
  char folder[PATH_MAX];
  store_path (file, folder);
  return index_update_store (path, file, folder, say, closure);
}

void
index_check_place (const char *file, config_say *say, void *closure)
{
  char dir[PATH_MAX];
  struct stat status;
  snprintf (dir, sizeof dir, "%s", file);
  if (stat (dirname (dir), &status) == 0
      && ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0
          || (status.st_uid != 0 && status.st_uid != geteuid ())))
    config_tell (say, closure, false,
                 "%s: others can remove the index in it; must be root's, and"
                 " writable by root only",
                 dir);
}
