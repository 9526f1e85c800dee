/* A variant, one side of a comparison: a command under the stock loader, or
   under ours with settings.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/measure.h"
#include "object/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
set_mode (struct settings *settings, uint64_t mode)
{
  settings->given[SETTING_MODE] = true;
  settings->option[SETTING_MODE] = true;
  settings->value[SETTING_MODE] = mode;
}

/* Add WORD to SETTINGS.  Return NULL, or what it must be.  */
static const char *
take_word (struct settings *settings, const char *word)
{
  uint64_t mode = settings_mode (word);
  if (mode != 0 || strcmp (word, "off") == 0)
    {
      set_mode (settings, mode);
      return NULL;
    }
  if (strncmp (word, "max=", 4) == 0)
    return settings_parse (settings, SETTING_MAX, word + 4);
  if (strncmp (word, "pad=", 4) == 0)
    return settings_parse (settings, SETTING_PAD, word + 4);
  return (
      settings_parse (settings, SETTING_BACKING, word) == NULL
          ? NULL
          : "stock, or of on, off, code, on+code, auto, file, thp, hugetlb,"
            " store, max=N and pad=BYTES some, with commas");
}

const char *
variant_parse (struct variant *variant, const char *words)
{
  static char problem[256];
  const char *wanted = NULL;
  *variant = (struct variant){ .name = words };
  variant->stock = strcmp (words, "stock") == 0;
  if (variant->stock)
    return NULL;
  set_mode (&variant->settings, SETTINGS_TEXT);
  char *copy = strdup (words), *rest = copy, *word;
  while (wanted == NULL && (word = strsep (&rest, ",")) != NULL)
    {
      wanted = take_word (&variant->settings, word);
      if (wanted != NULL)
        snprintf (problem, sizeof problem, "%s: must be %s", word, wanted);
    }
  free (copy);
  return wanted == NULL ? NULL : problem;
}

bool
variant_prepare (struct variant *variant, const struct launch *launch)
{
  variant->launch = *launch;
  if (variant->stock)
    {
      variant->launch.way = LAUNCH_PLAIN;
      /* If the system's loader is ours, the stock variant is ours switched
         off.  */
      if (!loader_is_ours (loader_system ())
          && !loader_is_ours (launch->program.interpreter))
        return true;
      set_mode (&variant->settings, 0);
    }
  else if (launch->way == LAUNCH_PLAIN)
    return true;
  variant->tunables = launch_tunables (&variant->settings);
  return variant->tunables != NULL;
}
