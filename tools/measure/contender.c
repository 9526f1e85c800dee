/* A side of a comparison: a command under the stock loader, or under ours with
   settings.
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

/* Take WORD into SETTINGS.  Returns NULL, or what it must be.  */
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
contender_parse (struct contender *contender, const char *words)
{
  static char problem[256];
  const char *wanted = NULL;
  *contender = (struct contender){ .name = words };
  contender->stock = strcmp (words, "stock") == 0;
  if (contender->stock)
    return NULL;
  set_mode (&contender->settings, SETTINGS_TEXT);
  char *copy = strdup (words), *rest = copy, *word;
  while (wanted == NULL && (word = strsep (&rest, ",")) != NULL)
    {
      wanted = take_word (&contender->settings, word);
      if (wanted != NULL)
        snprintf (problem, sizeof problem, "%s: must be %s", word, wanted);
    }
  free (copy);
  return wanted == NULL ? NULL : problem;
}

bool
contender_prepare (struct contender *contender, const struct launch *launch)
{
  contender->launch = *launch;
  if (contender->stock)
    {
      contender->launch.way = LAUNCH_PLAIN;
      /* Where there is no other loader it is ours, switched off.  */
      if (!loader_is_ours (loader_system ())
          && !loader_is_ours (launch->program.interpreter))
        return true;
      set_mode (&contender->settings, 0);
    }
  else if (launch->way == LAUNCH_PLAIN)
    return true;
  contender->tunables = launch_tunables (&contender->settings);
  return contender->tunables != NULL;
}
