/* Explain a block by its reason in the loader's record.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words of the reasons are in elf/policy/dl-hugetext-reasons.def.  */

#include "explain/reason.h"

#include <stdio.h>
#include <string.h>

void
reason_set_row (struct explained_block *block, enum hugetext_reason reason,
                const struct reason_about *about)
{
  struct reason_about this = *about;
  this.text = block->text;
  block->why = reason;
  reason_describe (reason, &this, block->reason);
  reason_remedy (reason, &this, block->remedy);
}

void
reason_set_alone (struct explained_block *block, enum hugetext_reason reason,
                  const struct problem *problem)
{
  block->why = reason;
  snprintf (block->reason, sizeof block->reason, "%.255s", problem->text);
  block->remedy[0] = '\0';
}

/* Under a seccomp filter, the loader makes certain system calls only with the
   setting "on+prctl".  If REASON says that "on+prctl" is missing, but SETTINGS
   contain "on+prctl", return the true reason why the loader has not made these
   system calls.  */
static enum hugetext_reason
refine (enum hugetext_reason reason, const struct settings *settings)
{
  if ((settings_value (settings, SETTING_MODE) & SETTINGS_PRCTL) == 0)
    return reason;
  return (reason == HUGETEXT_FILTERED      ? REASON_FILTERED_LATER
          : reason == REASON_LEFT_FILTERED ? REASON_LEFT_REFUSED
                                           : reason);
}

enum hugetext_reason
reason_left (const struct hugetext_entry *entry, bool program,
             const struct settings *settings)
{
  if (entry->high != 0 || entry->bias == 0)
    return HUGETEXT_NONE;
  if (program && (entry->circumstances & HUGETEXT_WAS_UNTOLD) != 0)
    return HUGETEXT_UNTOLD;
  if (program && (entry->circumstances & HUGETEXT_WAS_TRACED) != 0)
    return REASON_LEFT_TRACED;
  if (program && (entry->circumstances & HUGETEXT_WAS_FILTERED) != 0)
    return refine (REASON_LEFT_FILTERED, settings);
  if ((entry->circumstances & HUGETEXT_NO_SLACK) != 0)
    return REASON_LEFT_LIMITED;
  return HUGETEXT_NONE;
}

void
reason_set_at (struct explained_block *block, enum hugetext_reason left,
               enum hugetext_reason reason, const struct reason_about *about)
{
  reason_set_row (block, reason, about);
  if (left == HUGETEXT_NONE || !reason_has_address (reason))
    return;
  char text[sizeof block->reason];
  struct reason_about this = *about;
  this.text = block->text;
  snprintf (text, sizeof text, "%s; at its present address %.128s",
            reason_words (left), block->reason);
  strcpy (block->reason, text);
  reason_remedy (left, &this, block->remedy);
}

void
reason_of_small (const struct hugetext_entry *entry, enum hugetext_reason left,
                 const struct reason_about *about, enum hugetext_reason reason,
                 struct explained_block *block)
{
  if (hugetext_is_made (reason))
    reason_set_row (block,
                    block->small == 0 ? REASON_UNTOUCHED
                    : hugetext_way_of (reason) == HUGETEXT_WAY_FILE
                        ? REASON_FILE_SPLIT
                        : REASON_SPLIT,
                    about);
  else if (reason != HUGETEXT_NONE)
    reason_set_at (block, left, refine (reason, about->settings), about);
  else
    reason_set_row (block,
                    (entry->circumstances & HUGETEXT_UNRECORDED) != 0
                        ? REASON_NOT_RECORDED
                        : REASON_NOT_TRIED,
                    about);
}
