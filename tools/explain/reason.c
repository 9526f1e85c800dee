/* The words for the fate of a block in the loader's record.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/reason.h"
#include "object/plan.h"

#include <string.h>

static const struct
{
  enum hugetext_outcome outcome;
  const char *verdict, *remedy;
} outcomes[] = {
  { HUGETEXT_NOT_CONGRUENT, "not-made", "--backing=auto: a copy" },
  { HUGETEXT_FILE_SMALL, "not-made",
    "hugetext prime FILE; --backing=auto: a copy" },
  { HUGETEXT_NOT_STORED, "not-made",
    "hugetext store add; --backing=auto: a copy" },
  { HUGETEXT_STORE_SMALL, "not-made",
    "hugetext store check; --backing=auto: a copy" },
  { HUGETEXT_NO_SPACE, "not-made",
    "if address space is limited, ulimit -v unlimited, LimitAS=infinity" },
  { HUGETEXT_DATA_LIMIT, "not-made",
    "ulimit -d unlimited, LimitDATA=infinity" },
  { HUGETEXT_SIZE_LIMIT, "not-made",
    "ulimit -f unlimited, LimitFSIZE=infinity" },
  { HUGETEXT_FORBIDDEN, "not-made",
    "sign the image (IMA), or mount the store without noexec" },
  { HUGETEXT_NOT_OPENED, "not-made",
    "mount proc, if there is none in its root directory" },
  { HUGETEXT_MODIFIED, "not-made",
    "start it without the debugger or the auditor" },
  { HUGETEXT_TRACED, "not-made", "start it without the debugger" },
  { HUGETEXT_POOL_SHORT, "pool-short", "sysctl vm.nr_hugepages=N" },
  { HUGETEXT_THP_OFF, "thp-off",
    "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled" },
  { HUGETEXT_NOT_HUGE, "no-huge-page",
    "hugetext doctor says what is in the way" },
  { HUGETEXT_GAVE_UP, "no-huge-page",
    "hugetext doctor says what is in the way" },
  { HUGETEXT_PROTECT, "not-executable",
    "MemoryDenyWriteExecute=no, or allow execmem (SELinux)" },
  { HUGETEXT_NO_ROOM, "no-room",
    "a higher limit (memory.max, memory.high), or more memory" },
  { HUGETEXT_OVER_COPIES, "copies-cap",
    "a larger --max, or hugetext store add" },
  { HUGETEXT_NOT_WORTH, "cold", "" },
};

void
reason_set (struct explained_block *block, const char *verdict,
            const char *reason, const char *remedy)
{
  block->verdict = verdict;
  snprintf (block->reason, sizeof block->reason, "%s", reason);
  snprintf (block->remedy, sizeof block->remedy, "%s", remedy);
}

const char *
reason_left (const struct hugetext_entry *entry, bool program)
{
  if (entry->placed || entry->bias == 0)
    return NULL;
  if (program && (entry->circumstances & HUGETEXT_WAS_TRACED) != 0)
    return "it was traced";
  if (program && (entry->circumstances & HUGETEXT_WAS_FILTERED) != 0)
    return "system calls were filtered (seccomp)";
  if ((entry->circumstances & HUGETEXT_NO_SLACK) != 0)
    return "address space was limited (RLIMIT_AS)";
  return NULL;
}

/* The words for verdicts.  */
static const char *const verdict_names[HUGETEXT_VERDICTS]
    = { "take",      "no-text",   "outside",      "writable",
        "relro",     "zero-fill", "execute-only", "below-threshold",
        "kept-free", "over-cap",  "small-program" };

/* Explain that the policy refused BLOCK: VERDICT.  */
static void
explain_verdict (const char *left, const struct settings *settings,
                 enum hugetext_verdict verdict, struct explained_block *block)
{
  const struct plan_block planned = { .text = block->text,
                                      .heat = HUGETEXT_HEAT_UNKNOWN,
                                      .verdict = verdict };
  const char *name = verdict_names[verdict];
  const char *reason = plan_reason (&planned, settings);
  if (verdict == HUGETEXT_BELOW_THRESHOLD && block->text == 0)
    reason_set (block, name, "it holds fewer bytes of text than --pad", "");
  else if (left == NULL || verdict == HUGETEXT_OVER_CAP
           || verdict == HUGETEXT_KEPT_FREE)
    reason_set (block, name, reason, plan_remedy (&planned, settings));
  else
    {
      char text[sizeof block->reason];
      snprintf (text, sizeof text, "%s, and where it was left %s", left,
                reason);
      reason_set (block, name, text,
                  strstr (left, "RLIMIT_AS") != NULL
                      ? "ulimit -v unlimited, LimitAS=infinity"
                      : "start it without");
    }
}

/* Explain the OUTCOME of the attempt to make BLOCK.  */
static void
explain_outcome (const struct hugetext_entry *entry,
                 enum hugetext_outcome outcome, struct explained_block *block)
{
  const char *verdict = "not-made", *remedy = "";
  for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; ++i)
    if (outcomes[i].outcome == outcome)
      {
        verdict = outcomes[i].verdict;
        remedy = outcomes[i].remedy;
      }
  if ((entry->circumstances & HUGETEXT_PRCTL_THP) != 0
      && (outcome == HUGETEXT_THP_OFF || outcome == HUGETEXT_NOT_HUGE
          || outcome == HUGETEXT_GAVE_UP))
    reason_set (block, "thp-off",
                "transparent huge pages are off in it (prctl"
                " PR_SET_THP_DISABLE)",
                "start it without");
  else
    reason_set (block, verdict, hugetext_reason_text (outcome), remedy);
}

void
reason_of_small (const struct hugetext_entry *entry, const char *left,
                 const struct settings *settings, unsigned int fate,
                 struct explained_block *block)
{
  if (fate >= HUGETEXT_FATE_FILE && block->small == 0)
    reason_set (block, "untouched", "this process has not touched it yet", "");
  else if (fate >= HUGETEXT_FATE_FILE)
    reason_set (block, "split",
                "it was on a huge page, which the kernel has split since",
                "more memory, or MemoryMin= of its unit");
  else if (fate >= HUGETEXT_VERDICTS)
    explain_outcome (entry, fate, block);
  else if (fate != HUGETEXT_FATE_NONE)
    explain_verdict (left, settings, fate, block);
  else if (entry->unrecorded != 0)
    reason_set (block, "not-recorded",
                "the loader's record had no room for this object", "");
  else
    reason_set (block, "not-tried", "the loader has not looked at it", "");
}
