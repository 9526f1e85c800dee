/* The message for a loader to which the kernel has refused its own files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader's record says that the kernel has refused.  Nothing tells which
   module did: the message names the AppArmor profile that confines the
   process, and the rule that would let the loader read these files; or
   fapolicyd, if it runs.  */

#include "explain/refused.h"
#include "host/confinement.h"
#include "index/advice.h"
#include "object/loader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool
is_refusal (int error)
{
  return error == EACCES || error == EPERM;
}

void
refused_text (pid_t pid, const struct loader_record *record,
              char words[static 512])
{
  const bool index = is_refusal (record->index_error);
  char profile[CONFINEMENT_PROFILE];
  words[0] = '\0';
  if (!index && !is_refusal (record->image_error))
    return;
  const char *what = index ? "the index, " INDEX_PATH : "images in the store";
  const char *why
      = strerror (index ? record->index_error : record->image_error);
  const char *obstacle = index ? advice_obstacle (pid) : NULL;
  if (obstacle != NULL)
    snprintf (words, 512, "%s", obstacle);
  else if (confinement_profile (pid, profile))
    snprintf (words, 512,
              "its loader could not use %s (%s), and AppArmor confines it"
              " (profile %s): have the profile include %s",
              what, why, profile, CONFINEMENT_SNIPPET);
  else if (!index && record->image_error == EPERM && confinement_fapolicyd ())
    snprintf (words, 512,
              "its loader could not use %s (%s), and fapolicyd runs: have it"
              " trust them: hugetext store gc",
              what, why);
  else
    snprintf (
        words, 512,
        "its loader could not use %s (%s): a security module, as IMA, or the"
        " files' permissions refuse it",
        what, why);
}
