/* The confinement of programs by AppArmor and fapolicyd.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/confinement.h"
#include "util/printable.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The kernel writes "NAME (MODE)" or "unconfined".  The file attr/current may
   contain an SELinux label instead, which does not end with "(MODE)".  */
bool
confinement_parse (char *line, char name[CONFINEMENT_PROFILE])
{
  char *mode = strrchr (line, '(');
  if (mode == NULL || mode < line + 2 || mode[-1] != ' ')
    return false;
  mode[-1] = '\0';
  ++mode;
  mode[strcspn (mode, ")")] = '\0';
  printable_string (line);
  snprintf (name, CONFINEMENT_PROFILE, "%.*s", CONFINEMENT_PROFILE - 1, line);
  return (strcmp (mode, "enforce") == 0 || strcmp (mode, "kill") == 0
          || strcmp (mode, "mixed") == 0);
}

/* Different releases of fapolicyd use different paths.  */
bool
confinement_fapolicyd (void)
{
  return (access ("/run/fapolicyd/fapolicyd.pid", F_OK) == 0
          || access ("/run/fapolicyd.pid", F_OK) == 0);
}
