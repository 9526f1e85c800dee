/* Confinement of programs: profiles of AppArmor, and fapolicyd.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/confinement.h"
#include "host/machine.h"
#include "util/printable.h"

#include <stdio.h>
#include <string.h>

/* Read the line in the file NAME of process PID.  */
static bool
read_line (pid_t pid, const char *name, char *line, int size)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/attr/%s", (int) pid, name);
  FILE *stream = fopen (path, "re");
  bool good = stream != NULL && fgets (line, size, stream) != NULL;
  if (stream != NULL)
    fclose (stream);
  return good;
}

/* The kernel writes "NAME (MODE)", or "unconfined".  Labels of SELinux, which
   may be in the second file, have another end.  */
bool
confinement_profile (pid_t pid, char name[CONFINEMENT_PROFILE])
{
  static const char *const modes[] = { "enforce", "kill", "mixed" };
  char line[4096];
  if (!read_line (pid, "apparmor/current", line, sizeof line)
      && !read_line (pid, "current", line, sizeof line))
    return false;
  char *mode = strstr (line, " (");
  for (char *next = mode; next != NULL; next = strstr (next + 1, " ("))
    mode = next;
  if (mode == NULL)
    return false;
  *mode = '\0';
  mode += strlen (" (");
  mode[strcspn (mode, ")")] = '\0';
  printable_string (line);
  snprintf (name, CONFINEMENT_PROFILE, "%.*s", CONFINEMENT_PROFILE - 1, line);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i)
    if (strcmp (mode, modes[i]) == 0)
      return true;
  return false;
}

/* fapolicyd's releases have used both places.  */
bool
confinement_fapolicyd (void)
{
  return (machine_has ("/run/fapolicyd/fapolicyd.pid")
          || machine_has ("/run/fapolicyd.pid"));
}
