/* Options that several verbs have: --backing, --max and --pad, which stand for
   tunables, and --dry-run of verbs that change the system.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/shared-options.h"
#include "trust/change.h"

const char *
take_backing (void *settings, const char *argument)
{
  return settings_parse (settings, SETTING_BACKING, argument);
}

const char *
take_max (void *settings, const char *argument)
{
  return settings_parse (settings, SETTING_MAX, argument);
}

const char *
take_pad (void *settings, const char *argument)
{
  return settings_parse (settings, SETTING_PAD, argument);
}

const char *
take_dry_run (void *field, const char *argument)
{
  (void) field;
  (void) argument;
  change_simulate ();
  return NULL;
}
