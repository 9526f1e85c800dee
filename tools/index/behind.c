/* Find settings files that are newer than the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/behind.h"
#include "index/entry.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Return true if the file PATH was changed after TIME.  */
static bool
is_newer (const char *path, const struct timespec *time)
{
  struct stat status;
  if (stat (path, &status) < 0)
    return false;
  return (status.st_mtim.tv_sec != time->tv_sec
              ? status.st_mtim.tv_sec > time->tv_sec
              : status.st_mtim.tv_nsec > time->tv_nsec);
}

const char *
behind_file (void)
{
  static char path[PATH_MAX];
  const char *newer = NULL;
  struct stat index;
  const bool known = stat (INDEX_PATH, &index) == 0;
  const struct timespec never = { 0, 0 };
  /* If there is no index, hugetext.conf does not count as newer than the
     index: the installed hugetext.conf contains no settings, so that an index
     is not necessary.  */
  if (known && is_newer (CONFIG_PATH, &index.st_mtim))
    return CONFIG_PATH;
  DIR *directory = opendir (entry_directory ());
  struct dirent *entry;
  while (directory != NULL && newer == NULL
         && (entry = readdir (directory)) != NULL)
    {
      const char *suffix = strrchr (entry->d_name, '.');
      if (suffix == NULL || strcmp (suffix, ".conf") != 0)
        continue;
      snprintf (path, sizeof path, "%s/%s", entry_directory (), entry->d_name);
      if (is_newer (path, known ? &index.st_mtim : &never))
        newer = path;
    }
  if (directory != NULL)
    closedir (directory);
  /* The directory's mtime changes when a file is removed, or when a file with
     an old mtime is added.  */
  if (newer == NULL && known && is_newer (entry_directory (), &index.st_mtim))
    newer = entry_directory ();
  return newer;
}
