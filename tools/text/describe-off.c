/* The reason why huge text was off in a process from its start, in words, and
   the remedy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   All verbs that inspect processes call the functions in this file, so that
   each verb prints the same reason and remedy.  */

#include "text/inspect.h"
#include "host/confinement.h"
#include "index/behind.h"
#include "object/loader.h"
#include "util/printable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void
inspect_describe_refusal (const struct inspection *found,
                          char words[static INSPECT_REFUSAL])
{
  const bool index = inspect_is_refused (found);
  const int error = index ? found->index_error : found->image_error;
  const char *what = index ? "the index, " INDEX_PATH : "images in the store";
  char profile[CONFINEMENT_PROFILE], why[256];
  words[0] = '\0';
  if (error != EACCES && error != EPERM)
    return;
  const struct truth confined = process_ask_profile (&found->process, profile);
  if (confined.is == TRUTH_YES)
    snprintf (why, sizeof why,
              ", and AppArmor confines the process (profile %s): make the "
              "profile include " CONFINEMENT_SNIPPET,
              profile);
  else if (confined.is == TRUTH_UNKNOWN)
    strcpy (why, "; it is unknown whether AppArmor confines the process");
  else if (!index && error == EPERM && confinement_fapolicyd ())
    strcpy (why, ", and fapolicyd runs: add a rule that allows images "
                 "(\"Confined programs\" in the manual)");
  else
    strcpy (why,
            ": access is refused by the permissions of the file (chmod go+rX "
            "the file and its directories), by InaccessiblePaths=, or by "
            "a security module such as IMA");
  snprintf (words, INSPECT_REFUSAL,
            "the loader of the process could not use %s (%s)%s", what,
            strerror (error), why);
}

/* Set OFF's reason to a text which says that huge text is switched off, and
   why: the list of programs does not contain the program, the loader was not
   allowed to open files, or the source of the setting.  */
static void
describe_source (const struct inspection *found, struct inspected_off *off)
{
  char refused[INSPECT_REFUSAL];
  const char *source = settings_source (&found->settings, HUGETEXT_KEY_MODE);
  inspect_describe_refusal (found, refused);
  snprintf (off->reason, sizeof off->reason, "%s: %s",
            reason_words (REASON_SWITCHED_OFF),
            found->off == REASON_NOT_NAMED ? reason_words (found->off)
            : refused[0] != '\0'           ? refused
            : source != NULL               ? source
                                           : "");
}

/* Return true if a settings file is newer than the index, so that the index
   may lack a setting for FOUND's process.  If the result is true, set ABOUT's
   source to the newer settings file.  */
static bool
is_behind (const struct inspection *found, struct reason_about *about)
{
  if (found->elsewhere)
    return false;
  about->source = behind_file ();
  return about->source != NULL;
}

enum hugetext_reason
inspect_why_off (const struct inspection *found, struct reason_about *about)
{
  about->program = NULL;
  if (is_plain_word (found->exe) && !loader_named (found->exe))
    about->program = found->exe;
  if (found->off == REASON_NOT_SWITCHED_ON && is_behind (found, about))
    return REASON_NOT_INDEXED;
  about->source = found->since;
  return found->off;
}

/* Set OFF to the words and the remedy of the reason WHY, which is the result
   of inspect_why_off for FOUND and ABOUT.  If the program is too small for
   huge pages, there is no remedy, because a setting would change nothing.  */
static void
describe_missing (const struct inspection *found, enum hugetext_reason why,
                  const struct reason_about *about, struct inspected_off *off)
{
  const bool small = inspect_is_too_small (found, why);
  char words[REASON_SIZE], more[REASON_SIZE] = "";
  reason_describe (why, about, words);
  if (small)
    reason_describe (HUGETEXT_SMALL_PROGRAM, about, more);
  else
    reason_remedy (why, about, off->remedy);
  snprintf (off->reason, sizeof off->reason, "%s%s%s", words,
            small ? "; " : "", more);
}

bool
inspect_describe_off (const struct inspection *found,
                      const struct reason_about *known,
                      struct inspected_off *off)
{
  struct reason_about about = *known;
  const enum hugetext_reason why = inspect_why_off (found, &about);
  *off = (struct inspected_off){ .reason = "" };
  if (why == REASON_SWITCHED_OFF || why == REASON_NOT_NAMED)
    describe_source (found, off);
  else if (why != HUGETEXT_NONE)
    describe_missing (found, why, &about, off);
  return why != HUGETEXT_NONE;
}

bool
inspect_set_off (const struct inspection *found,
                 const struct reason_about *about, struct problem *problem)
{
  struct inspected_off off;
  return (inspect_describe_off (found, about, &off)
          && !problem_set (problem, "%s%s%s", off.reason,
                           off.remedy[0] != '\0' ? ": " : "", off.remedy));
}
