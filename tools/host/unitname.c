/* Names of systemd units.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/unitname.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Set FULL to the full name of the unit NAME.  Return false if NAME cannot be
   the name of a unit.  */
static bool
unitname_complete_name (const char *name, char full[static NAME_MAX + 1])
{
  static const char characters[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        ":-_.\\@";
  static const char suffixes[] = ".service.socket.timer.path.target.mount"
                                 ".device.automount.swap.slice.scope.";
  char suffix[NAME_MAX + 2] = "";
  size_t length = strlen (name);
  if (length == 0 || name[0] == '-' || name[0] == '.'
      || strspn (name, characters) != length
      || length + sizeof ".service" > NAME_MAX + 1)
    return false;
  strcpy (full, name);
  if (strrchr (name, '.') != NULL)
    snprintf (suffix, sizeof suffix, "%s.", strrchr (name, '.'));
  if (strlen (suffix) <= 2 || strstr (suffixes, suffix) == NULL)
    strcat (full, ".service");
  return true;
}

const char *
unit_name (const char *name)
{
  static char full[NAME_MAX + 1];
  return unitname_complete_name (name, full) ? full : NULL;
}

bool
unit_is_full_name (const char *name)
{
  char full[NAME_MAX + 1];
  return unitname_complete_name (name, full) && strcmp (full, name) == 0;
}
