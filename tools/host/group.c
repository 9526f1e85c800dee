/* Control groups: the service that a process belongs to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/group.h"
#include "util/printable.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the first LENGTH characters of WORD end in SUFFIX.  */
static bool
ends_in (const char *word, size_t length, const char *suffix)
{
  size_t end = strlen (suffix);
  return length > end && strncmp (word + length - end, suffix, end) == 0;
}

/* Whether PART, LENGTH characters of a path, is a unit that has processes.  */
static bool
is_unit (const char *part, size_t length)
{
  static const char *const suffixes[]
      = { ".service", ".scope", ".socket", ".mount", ".swap" };
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i)
    if (ends_in (part, length, suffixes[i]))
      return true;
  return false;
}

void
group_name (const char *path, char name[static PATH_MAX])
{
  const char *last = NULL;
  size_t last_length = 0, length;
  bool slices = true;
  /* Walk down systemd's tree: slices contain other slices and units, and the
     groups below a unit are the unit's own.  */
  for (const char *part = path; *part != '\0'; part += length)
    {
      part += strspn (part, "/");
      length = strcspn (part, "/");
      /* Skip groups above the root of our namespace.  */
      if (length == 0 || (length == 2 && strncmp (part, "..", 2) == 0))
        continue;
      bool slice = ends_in (part, length, ".slice");
      if (slice || is_unit (part, length))
        {
          last = part;
          last_length = length;
        }
      /* Stop at the user: sessions have a number each.  */
      if (!slice || strncmp (part, "user-", 5) == 0)
        {
          slices = slice || is_unit (part, length);
          break;
        }
    }
  if (slices && last != NULL)
    snprintf (name, PATH_MAX, "%.*s", (int) last_length, last);
  else
    snprintf (name, PATH_MAX, "%s", path);
  printable_string (name);
}

/* Return the rank of LINE of /proc/PID/cgroup: systemd's hierarchy, or the
   second version, comes before those of single controllers.  */
static int
rank (const char *line, const char *path)
{
  if (strcmp (path, "/") == 0)
    return 1;
  if (strncmp (line, "0::", 3) == 0)
    return 4;
  const char *controllers = strchr (line, ':');
  if (strncmp (controllers, ":name=systemd:", 14) == 0)
    return 3;
  return 2;
}

bool
group_path (pid_t pid, char path[static PATH_MAX])
{
  char file[64], *line = NULL;
  size_t room = 0;
  int most = 0;
  snprintf (path, PATH_MAX, "/");
  snprintf (file, sizeof file, "/proc/%d/cgroup", (int) pid);
  FILE *stream = fopen (file, "re");
  if (stream == NULL)
    return false;
  while (getline (&line, &room, stream) > 0)
    {
      line[strcspn (line, "\n")] = '\0';
      /* The line has a number, controllers and a path.  */
      char *group = strchr (line, ':');
      group = group != NULL ? strchr (group + 1, ':') : NULL;
      if (group == NULL || rank (line, group + 1) <= most)
        continue;
      most = rank (line, group + 1);
      snprintf (path, PATH_MAX, "%s", group + 1);
    }
  free (line);
  fclose (stream);
  return true;
}

void
group_of (pid_t pid, char name[static PATH_MAX])
{
  char path[PATH_MAX];
  name[0] = '\0';
  if (group_path (pid, path))
    group_name (path, name);
}
