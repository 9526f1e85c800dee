/* Find out whether huge text was off in a process from its start, and why.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Whether huge text was on does not depend on which loader the process has:
   ld-hugetext.so makes no text huge in a process for which no setting switches
   it on.  */

#include "text/inspect.h"
#include "object/loader.h"
#include "object/plan.h"

#include <errno.h>

bool
inspect_find_small (const struct object_list *objects)
{
  size_t text = 0;
  for (size_t i = 0; i < objects->count; ++i)
    if (!loader_named (objects->list[i].name))
      text += objects->list[i].sums.text;
  return plan_is_small (text);
}

bool
inspect_is_too_small (const struct inspection *found, enum hugetext_reason why)
{
  return (found->small
          && (why == REASON_NOT_SWITCHED_ON || why == REASON_OTHER_LOADER));
}

bool
inspect_is_refused (const struct inspection *found)
{
  return found->index_error == EACCES || found->index_error == EPERM;
}

bool
inspect_is_unnamed (const struct inspection *found)
{
  return (found->recorded && settings_obey_list (&found->settings)
          && settings_on (&found->settings) && elfobject_geometry ().block != 0
          && found->record.root.text == 0 && found->record.root.code == 0);
}

/* Return true if the loader of FOUND's process, or "hugetext run", was asked
   for huge text.  If the loader has a record, the answer is in the record,
   otherwise in FOUND's settings.  */
static bool
was_on (const struct inspection *found)
{
  return found->recorded ? found->record.root.text != 0
                         : (settings_value (&found->settings, SETTING_MODE)
                            & SETTINGS_TEXT)
                               != 0;
}

/* Return the reason why the settings did not switch huge text on in FOUND's
   process, whose loader is ld-hugetext.so.  */
static enum hugetext_reason
find_missing (const struct inspection *found)
{
  return (inspect_is_refused (found)   ? REASON_SWITCHED_OFF
          : found->since[0] != '\0'    ? REASON_SWITCHED_ON_SINCE
          : inspect_is_unnamed (found) ? REASON_NOT_NAMED
          : settings_source (&found->settings, HUGETEXT_KEY_MODE) == NULL
              ? REASON_NOT_SWITCHED_ON
              : REASON_SWITCHED_OFF);
}

enum hugetext_reason
inspect_find_off (const struct inspection *found)
{
  switch (found->loader)
    {
    case INSPECTED_UNKNOWN:
      return REASON_LOADER_UNKNOWN;
    case INSPECTED_CLAIMED:
      return REASON_CLAIMED_LOADER;
    case INSPECTED_OTHER:
      /* ld-hugetext.so, too, would leave an AT_SECURE program on small
         pages.  */
      return found->secure ? REASON_SECURE : REASON_OTHER_LOADER;
    default:
      return (found->secure                     ? REASON_SECURE
              : was_on (found)                  ? HUGETEXT_NONE
              : found->loader == INSPECTED_NONE ? REASON_STATIC
                                                : find_missing (found));
    }
}
