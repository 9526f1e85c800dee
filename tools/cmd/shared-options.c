/* Options that several verbs have: --backing, --max and --pad, which stand for
   tunables, and --dry-run of verbs that change the system.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/shared-options.h"
#include "trust/change.h"

/* The argument is what the tunable of the same name may be: object/settings.h
   has its ranges, and words for what is wrong with it.  */

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

/* All changes of the system go through trust/change.h, so that none has to ask
   whether it is to be made.  */

const char *
take_dry_run (void *field, const char *argument)
{
  (void) field;
  (void) argument;
  change_simulate ();
  return NULL;
}
