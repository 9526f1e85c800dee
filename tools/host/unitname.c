/* Names of systemd units.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/unitname.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *
unit_name (const char *name)
{
  static const char characters[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        ":-_.\\@";
  static const char suffixes[] = ".service.socket.timer.path.target.mount"
                                 ".device.automount.swap.slice.scope.";
  static char full[NAME_MAX + 1];
  char suffix[NAME_MAX + 2] = "";
  size_t length = strlen (name);
  if (length == 0 || name[0] == '-' || name[0] == '.'
      || strspn (name, characters) != length
      || length + sizeof ".service" > sizeof full)
    return NULL;
  strcpy (full, name);
  if (strrchr (name, '.') != NULL)
    snprintf (suffix, sizeof suffix, "%s.", strrchr (name, '.'));
  if (strlen (suffix) > 2 && strstr (suffixes, suffix) != NULL)
    return full;
  return strcat (full, ".service");
}

bool
unit_is_full_name (const char *name)
{
  const char *full = unit_name (name);
  return full != NULL && strcmp (full, name) == 0;
}
