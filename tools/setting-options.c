/* The options that stand for tunables: --backing, --max, --pad.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "setting-options.h"
#include "options.h"

static const struct
{
  int key;
  enum setting setting;
  const char *name;
} table[] = {
  { KEY_BACKING, SETTING_BACKING, "backing" },
  { KEY_MAX, SETTING_MAX, "max" },
  { KEY_PAD, SETTING_PAD, "pad" },
};

bool
setting_option (struct settings *settings, int key, const char *arg)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].key == key)
      {
        const char *wanted
            = settings_parse (settings, table[i].setting, arg);
        if (wanted != NULL)
          options_fail ("--%s=%s: must be %s", table[i].name, arg, wanted);
        return true;
      }
  return false;
}
