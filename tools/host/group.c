/* Control groups: find the service that a process belongs to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/group.h"
#include "util/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If PART, a name in systemd's hierarchy, is a slice or a unit that can have
   processes, return its suffix, including the dot.  If PART has no suffix of a
   slice, scope or service, return NULL.  */
static const char *
suffix_of (const char *part)
{
  static const char *const suffixes[]
      = { ".slice", ".service", ".scope", ".socket", ".mount", ".swap" };
  const char *suffix = strrchr (part, '.');
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i)
    if (suffix != NULL && suffix > part && strcmp (suffix, suffixes[i]) == 0)
      return suffix;
  return NULL;
}

void
group_name (const char *path, char name[static PATH_MAX])
{
  char copy[PATH_MAX], *rest;
  const char *found = NULL, *suffix;
  snprintf (copy, sizeof copy, "%s", path);
  /* Walk down the path, from the root of systemd's cgroup hierarchy to the
     unit that contains the process.  A slice contains other slices and units;
     the groups below a unit belong to this unit.  */
  for (char *part = strtok_r (copy, "/", &rest); part != NULL;
       part = strtok_r (NULL, "/", &rest))
    {
      /* A component ".." of the path stands for a group above the root of this
         process's cgroup namespace; skip the component.  */
      if (strcmp (part, "..") == 0)
        continue;
      suffix = suffix_of (part);
      found = suffix != NULL ? part : NULL;
      /* Stop at the slice of a logged-in user.  The sessions below this slice
         are named by numbers, which tell a reader of the output nothing.  */
      if (suffix == NULL || strcmp (suffix, ".slice") != 0
          || strncmp (part, "user-", 5) == 0)
        break;
    }
  snprintf (name, PATH_MAX, "%s", found != NULL ? found : path);
  printable_string (name);
}

bool
group_read (FILE *stream, char path[static PATH_MAX])
{
  char *line = NULL;
  size_t room = 0;
  int most = 0;
  snprintf (path, PATH_MAX, "/");
  if (stream == NULL)
    return false;
  while (getline (&line, &room, stream) > 0)
    {
      /* A line of /proc/PID/cgroup has a number, controllers and a path.  */
      char *controllers = strchr (line, ':');
      char *group = controllers != NULL ? strchr (controllers + 1, ':') : NULL;
      if (group == NULL)
        continue;
      group[strcspn (group, "\n")] = '\0';
      /* Prefer groups of cgroup v2, and systemd's own hierarchy, to the
         hierarchies of single controllers.  Use the root group of a hierarchy
         only if the process is in no other group.  */
      int rank = strcmp (group, ":/") == 0                          ? 1
                 : strncmp (line, "0::", 3) == 0                    ? 4
                 : strncmp (controllers, ":name=systemd:", 14) == 0 ? 3
                                                                    : 2;
      if (rank <= most)
        continue;
      most = rank;
      snprintf (path, PATH_MAX, "%s", group + 1);
    }
  const bool good = !ferror (stream);
  free (line);
  fclose (stream);
  return good;
}

/* Return true if a component of PATH is "." or "..".  */
static bool
has_dots (const char *path)
{
  for (;; ++path)
    {
      const size_t length = strcspn (path, "/");
      if (length > 0 && length <= 2 && strspn (path, ".") >= length)
        return true;
      path += length;
      if (*path == '\0')
        return false;
    }
}

bool
group_is_path (const char *path)
{
  static const char up[] = "/..";
  if (path[0] != '/')
    return false;
  while (strncmp (path, up, strlen (up)) == 0
         && (path[strlen (up)] == '/' || path[strlen (up)] == '\0'))
    path += strlen (up);
  return !has_dots (path);
}

bool
group_is_name (const char *name)
{
  return (name[0] == '/' ? group_is_path (name)
                         : strchr (name, '/') == NULL && !has_dots (name));
}

const char *
group_words (const char *name)
{
  return strcmp (name, "/") == 0 ? "(no service)" : name;
}
