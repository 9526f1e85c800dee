/* Put the index in its place.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Programs start all the time: what they open is the old index or the new
   one, whole.  So it is written beside its place, under a name that nobody
   else has, and renamed.

   Several of us may be at it: who reads what it is made of first must not
   write last.  So that is done under a lock; but not for long, since a service
   may be waiting for us.  */

#include "index-write.h"
#include "folder.h"
#include "index-build.h"
#include "profile-heat.h"
#include "store-folder.h"

#include <dirent.h>
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

/* What mkostemp puts in the place of these behind a file's name.  */
static const char unique[] = ".XXXXXX";

/* Let nobody else write an index until the descriptor returned is closed.  -1
   for who is not root, or if others have been at it for 5 seconds, as nobody
   is: then go on without.  */
static int
lock_index (void)
{
  /* As apply_lock's.  */
  int fd = open ("/run/hugetext-index.lock",
                 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  for (int i = 0; fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0; i++)
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

/* Remove what those have left who were killed while they wrote FILE.  */
static void
remove_unfinished (const char *file)
{
  char copy[PATH_MAX], folder[PATH_MAX];
  snprintf (copy, sizeof copy, "%s", file);
  snprintf (folder, sizeof folder, "%s", file);
  const char *name = basename (copy);
  size_t length = strlen (name), whole = length + strlen (unique);
  DIR *dir = opendir (dirname (folder));
  if (dir == NULL)
    return;
  for (struct dirent *entry; (entry = readdir (dir)) != NULL;)
    if (strlen (entry->d_name) == whole
        && strncmp (entry->d_name, name, length) == 0
        && entry->d_name[length] == unique[0])
      unlinkat (dirfd (dir), entry->d_name, 0);
  closedir (dir);
}

/* Write the SIZE bytes at DATA to FD.  */
static bool
write_all (int fd, const char *data, size_t size)
{
  while (size > 0)
    {
      ssize_t n = write (fd, data, size);
      if (n < 0 && errno != EINTR)
        return false;
      if (n > 0)
        {
          data += n;
          size -= n;
        }
    }
  return true;
}

/* Replace FILE by the SIZE bytes at DATA.  False with errno set.  */
static bool
replace_file (const char *file, const char *data, size_t size)
{
  char dir[PATH_MAX], name[PATH_MAX];
  if ((size_t)snprintf (name, sizeof name, "%s%s", file, unique)
      >= sizeof name)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  snprintf (dir, sizeof dir, "%s", file);
  if (!folder_make (dirname (dir)))
    return false;
  int fd = mkostemp (name, O_CLOEXEC);
  if (fd < 0)
    return false;
  bool good = (write_all (fd, data, size) && fchmod (fd, 0644) == 0
               && fsync (fd) == 0);
  int error = errno;
  if (close (fd) != 0 && good)
    {
      good = false;
      error = errno;
    }
  if (good && rename (name, file) != 0)
    {
      good = false;
      error = errno;
    }
  if (!good)
    unlink (name);
  errno = error;
  return good;
}

/* Write CONFIG, STORE and HEATS to FILE.  */
static bool
install (const struct config *config, const struct store *store,
         const struct index_heats *heats, const char *file, config_say *say,
         void *closure)
{
  char *image;
  size_t size;
  const char *problem = index_build (config, store, heats, &image, &size);
  if (problem != NULL)
    {
      config_tell (say, closure, true, "%s: %s", file, problem);
      return false;
    }
  bool good = replace_file (file, image, size);
  if (!good)
    config_tell (say, closure, true, "%s cannot be written: %s", file,
                 strerror (errno));
  free (image);
  return good;
}

/* Whether CONFIG sets anything.  */
static bool
has_settings (const struct config *config)
{
  for (size_t i = 0; i < config->count; i++)
    if (config->sections[i].given != 0)
      return true;
  return false;
}

/* Remove FILE.  */
static bool
uninstall (const char *file, config_say *say, void *closure)
{
  /* Where nothing can be written, there is nothing to do.  */
  if ((faccessat (AT_FDCWD, file, F_OK, AT_SYMLINK_NOFOLLOW) != 0
       && (errno == ENOENT || errno == ENOTDIR))
      || unlink (file) == 0)
    return true;
  config_tell (say, closure, true, "%s cannot be removed: %s", file,
               strerror (errno));
  return false;
}

/* Whether STORE has anything for the loader.  */
static bool
has_images (const struct store *store)
{
  for (size_t i = 0; i < store->count; i++)
    if (store->files[i].problem == NULL)
      return true;
  return false;
}

/* Have FILE say what CONFIG, STORE and the profiles in FOLDER do.  */
static bool
write_index (const struct config *config, const struct store *store,
             const char *folder, const char *file, config_say *say,
             void *closure)
{
  struct index_heats heats;
  bool good = profile_heat_read (&heats, folder, say, closure);
  if (!good)
    config_tell (say, closure, true, "%s: %s", folder, strerror (errno));
  else
    good = (has_settings (config) || has_images (store) || heats.count > 0
                ? install (config, store, &heats, file, say, closure)
                : uninstall (file, say, closure));
  profile_heat_free (&heats);
  return good;
}

/* When something in FOLDER was renamed or removed for the last time.  */
static struct timespec
last_change (const char *folder)
{
  struct stat status;
  return stat (folder, &status) == 0 ? status.st_mtim
                                     : (struct timespec){ 0 };
}

/* Have FILE say what CONFIG, the store in FOLDER and the profiles do.  *AGAIN
   is set if they were others meanwhile.  */
static bool
update_once (const struct config *config, const char *file,
             const char *folder, bool *again, config_say *say, void *closure)
{
  struct store store, now;
  char profiles[PATH_MAX];
  bool good = false;
  profile_heat_path (file, profiles);
  struct timespec before = last_change (profiles);
  const char *problem = store_read (&store, folder);
  if (problem != NULL)
    config_tell (say, closure, true, "%s: %s", folder, problem);
  else
    good = write_index (config, &store, profiles, file, say, closure);
  struct timespec after = last_change (profiles);
  *again = (before.tv_sec != after.tv_sec || before.tv_nsec != after.tv_nsec);
  if (good && store_read (&now, folder) == NULL)
    {
      *again |= !store_same (&store, &now);
      store_free (&now);
    }
  store_free (&store);
  return good;
}

bool
index_update_store (const char *path, const char *file, const char *folder,
                    config_say *say, void *closure)
{
  struct config config;
  bool again = true;
  int lock = lock_index ();
  if (lock >= 0)
    remove_unfinished (file);
  bool good = config_read (path, &config, say, closure);
  /* Who has added an image compiles the index then, and may have done so
     before we did, with what we had read before.  */
  for (int i = 0; i < 16 && good && again; i++)
    good = update_once (&config, file, folder, &again, say, closure);
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
