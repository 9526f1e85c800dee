/* Who has a file mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "fileusers.h"
#include "budget.h"
#include "procmaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether MAP shows the file PATH with STATUS.  Some filesystems have another
   device in stat than in a mapping; then the name decides.  */
static bool
is_of (const struct mapping *map, const char *path, const struct stat *status)
{
  return (map->inode != 0 && map->inode == status->st_ino
          && (map->device == status->st_dev
              || (!map->deleted && strcmp (map->name, path) == 0)));
}

static bool
has_mapped (pid_t pid, const char *path, const struct stat *status)
{
  struct procmaps maps;
  struct process process;
  bool found = false;
  if (!process_read (pid, &process))
    return false;
  budget_begin (process.uid);
  int unread = procmaps_read (pid, &maps);
  budget_end ();
  if (unread < 0)
    return false;
  for (size_t i = 0; i < maps.count && !found; i++)
    found = is_of (&maps.list[i], path, status);
  procmaps_free (&maps);
  return found;
}

void
fileusers_find (const char *path, const struct stat *status,
                struct fileusers *users)
{
  pid_t *list = NULL;
  ssize_t n = process_list (NULL, &list);
  *users = (struct fileusers){ 0 };
  for (ssize_t i = 0; i < n; i++)
    {
      struct process process;
      if (list[i] == getpid () || !has_mapped (list[i], path, status)
          || !process_read (list[i], &process))
        continue;
      if (users->count < FILEUSERS_NAMED)
        users->first[users->count] = process;
      users->count++;
    }
  free (list);
}

const char *
fileusers_text (const struct fileusers *users)
{
  static char text[FILEUSERS_NAMED * 64 + 32];
  size_t named = users->count < FILEUSERS_NAMED ? users->count
                                                : FILEUSERS_NAMED;
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < named; i++)
    length += snprintf (
        text + length, sizeof text - length, "%s%d (%s)",
        i == 0                                       ? ""
        : i + 1 < named || users->count > named ? ", "
                                                     : " and ",
        (int)users->first[i].pid, users->first[i].name);
  if (users->count > named)
    snprintf (text + length, sizeof text - length, " and %zu more",
              users->count - named);
  return text;
}
