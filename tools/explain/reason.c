/* The words for the fate of a block in the loader's record.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/reason.h"

#include <stdio.h>

#define SWITCH "/sys/kernel/mm/transparent_hugepage/enabled"

/* Set TO's explanation.  */
static void
explain (struct explained_block *to, const char *verdict, const char *reason,
         const char *remedy)
{
  to->verdict = verdict;
  snprintf (to->reason, sizeof to->reason, "%s", reason);
  snprintf (to->remedy, sizeof to->remedy, "%s", remedy);
}

/* Whether system calls were filtered when ENTRY's object was populated.  */
static bool
was_filtered (const struct hugetext_entry *entry)
{
  return ((entry->circumstances & HUGETEXT_WHO_ASKED) != 0
          && (entry->can & HUGETEXT_CAN_SCAN) == 0);
}

const char *
reason_left (const struct reason_context *context, const char **remedy)
{
  const struct hugetext_entry *entry = context->entry;
  if (entry->placed || entry->bias == 0)
    return NULL;
  *remedy = "start it without";
  if (context->program && (entry->circumstances & HUGETEXT_WAS_TRACED) != 0)
    return "it was traced";
  if (context->program && was_filtered (entry))
    return "system calls were filtered (seccomp)";
  *remedy = "ulimit -v unlimited, LimitAS=infinity";
  if ((entry->circumstances & HUGETEXT_NO_SLACK) != 0)
    return "address space was limited (RLIMIT_AS)";
  return NULL;
}

/* Explain why the policy refused a block: VERDICT.  */
static void
explain_verdict (const struct reason_context *context,
                 enum hugetext_verdict verdict, struct explained_block *to)
{
  const struct plan_block block
      = { .text = to->text, .heat = to->heat, .verdict = verdict };
  const char *remedy, *left = reason_left (context, &remedy);
  if (left != NULL && verdict != HUGETEXT_OVER_CAP
      && verdict != HUGETEXT_KEPT_FREE)
    {
      to->verdict = hugetext_verdict_name (verdict);
      snprintf (to->reason, sizeof to->reason, "%s, and where it was left %s",
                left, plan_reason (&block, context->settings));
      snprintf (to->remedy, sizeof to->remedy, "%s", remedy);
      return;
    }
  explain (to, hugetext_verdict_name (verdict),
           plan_reason (&block, context->settings),
           plan_remedy (&block, context->settings));
}

/* Explain why no copy may become executable.  */
static void
explain_protect (const struct reason_context *context,
                 struct explained_block *to)
{
  if (was_filtered (context->entry))
    explain (to, "not-executable",
             "its system calls are filtered (seccomp), and no copy may become"
             " executable, as by MemoryDenyWriteExecute=",
             "MemoryDenyWriteExecute=no");
  else
    explain (to, "not-executable",
             "no copy may become executable: MDWE, or a security module, as"
             " SELinux",
             "MemoryDenyWriteExecute=no, or allow execmem");
}

/* Explain the OUTCOME of an attempt.  */
static void
explain_outcome (const struct reason_context *context,
                 enum hugetext_outcome outcome, struct explained_block *to)
{
  const char *text = hugetext_outcome_text (outcome);
  switch (outcome)
    {
    case HUGETEXT_NOT_CONGRUENT:
    case HUGETEXT_FILE_SMALL:
      explain (to, "not-made", text, "--backing=auto: a copy");
      return;
    case HUGETEXT_NOT_STORED:
    case HUGETEXT_STORE_SMALL:
      explain (to, "not-made", text,
               "hugetext store add; --backing=auto: a copy");
      return;
    case HUGETEXT_NO_SPACE:
      if ((context->entry->circumstances & HUGETEXT_NO_SLACK) != 0)
        explain (to, "not-made",
                 "there was no room for a copy under its limit of address"
                 " space (RLIMIT_AS)",
                 "ulimit -v unlimited, LimitAS=infinity");
      else
        explain (to, "not-made", text, "");
      return;
    case HUGETEXT_DATA_LIMIT:
      explain (to, "not-made",
               "there was no room for a copy under its limit of data"
               " (RLIMIT_DATA)",
               "ulimit -d unlimited, LimitDATA=infinity");
      return;
    case HUGETEXT_SIZE_LIMIT:
      explain (to, "not-made",
               "its limit of the size of files (RLIMIT_FSIZE) left no memory"
               " file for a copy",
               "ulimit -f unlimited, LimitFSIZE=infinity");
      return;
    case HUGETEXT_FORBIDDEN:
      explain (to, "not-made", text,
               "sign the image (IMA), or mount the store without noexec");
      return;
    case HUGETEXT_POOL_SHORT:
      explain (to, "pool-short", text, "sysctl vm.nr_hugepages=N");
      return;
    case HUGETEXT_NOT_OPENED:
      if (context->program)
        explain (to, "not-made",
                 "the loader could not open its file again, as where there is"
                 " no /proc in its root directory",
                 "mount proc there");
      else
        explain (to, "not-made", text, "");
      return;
    case HUGETEXT_THP_OFF:
      if ((context->entry->circumstances & HUGETEXT_PRCTL_THP) != 0)
        explain (to, "thp-off",
                 "transparent huge pages are off in it (prctl"
                 " PR_SET_THP_DISABLE)",
                 "start it without");
      else
        explain (to, "thp-off", text, "echo madvise >" SWITCH);
      return;
    case HUGETEXT_NOT_HUGE:
    case HUGETEXT_GAVE_UP:
      if ((context->entry->circumstances & HUGETEXT_PRCTL_THP) != 0)
        explain_outcome (context, HUGETEXT_THP_OFF, to);
      else if (hugetext_takes_pool (
                   settings_value (context->settings, SETTING_BACKING)))
        explain_outcome (context, HUGETEXT_POOL_SHORT, to);
      else
        explain (to, "no-huge-page", text,
                 "hugetext doctor says what is in the way");
      return;
    case HUGETEXT_PROTECT:
      explain_protect (context, to);
      return;
    case HUGETEXT_NO_ROOM:
      explain (to, "no-room",
               "memory limits left no room for another copy (hugetext doctor)",
               "a higher limit (memory.max, memory.high), or more memory");
      return;
    case HUGETEXT_OVER_COPIES:
      explain (to, "copies-cap",
               "other blocks are all the copies that there may be",
               "a larger --max, or hugetext store add");
      return;
    case HUGETEXT_NOT_WORTH:
      explain (to, "cold", text, "");
      return;
    default:
      explain (to, "not-made", text, "");
      return;
    }
}

void
reason_of_small (const struct reason_context *context, unsigned int fate,
                 struct explained_block *to)
{
  fate &= ~HUGETEXT_FATE_UNLOCKED;
  if (fate >= HUGETEXT_FATE_FILE && to->small == 0)
    explain (to, "untouched", "this process has not touched it yet", "");
  else if (fate >= HUGETEXT_FATE_FILE)
    explain (to, "split",
             fate == HUGETEXT_FATE_COPY
                 ? "it is a copy that was on a huge page, which the kernel has"
                   " split since"
                 : "it was on a huge page of a file, which the kernel has"
                   " split since",
             "more memory, or glibc.mem.hugetext_lock=1");
  else if (fate >= HUGETEXT_FATE_OUTCOME)
    explain_outcome (context, fate - HUGETEXT_FATE_OUTCOME, to);
  else if (fate >= HUGETEXT_FATE_VERDICT)
    explain_verdict (context, fate - HUGETEXT_FATE_VERDICT, to);
  else if (context->entry->unrecorded != 0)
    explain (to, "not-recorded",
             "the loader's record had no room for this object", "");
  else
    explain (to, "not-tried", "the loader has not looked at it", "");
}
