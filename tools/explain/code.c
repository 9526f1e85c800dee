/* "hugetext explain PID" for code made at run time: which blocks are huge, and
   why not the others.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"
#include "hugetext-code.h"
#include "host/machine.h"
#include "host/procmaps.h"
#include "text/inspect.h"

#include <stdlib.h>
#include <string.h>

/* The circumstances that hold for all blocks.  */
struct circumstances
{
  const char *verdict; /* Why no block is made; NULL if nothing prevents
                          it.  */
  const char *reason, *remedy;
  bool full; /* The process has as many blocks as the cap allows.  */
};

/* Find out why FOUND's code made at run time is not huge.  */
static void
judge (const struct inspection *found, const struct settings *settings,
       struct circumstances *all)
{
  const char *loader = inspect_loader (found);
  all->remedy = "";
  if (loader == NULL || strcmp (loader, "ld-hugetext") != 0)
    {
      all->verdict = "not-tried";
      all->reason = "another loader, or none, has loaded the program";
      all->remedy = "hugetext run";
    }
  else if ((settings_value (settings, SETTING_MODE) & 2) == 0)
    {
      all->verdict = "not-asked";
      all->reason = "its settings do not ask for code made at run time";
      all->remedy = "glibc.mem.hugetext=2, or 3 for text, too";
    }
  else if (!inspect_follows_code (found))
    {
      all->verdict = "not-followed";
      all->reason = HUGETEXT_CODE_FILE " is not in the process";
      all->remedy = "LD_DEBUG=files says why";
    }
  else if (machine_thp_off (procmaps_block ()))
    {
      all->verdict = "not-made";
      all->reason = "transparent huge pages are off";
      all->remedy
          = "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled";
    }
}

/* Fill in TO from NOW, the kernel's account of the block.  */
static void
explain_block (const struct circumstances *all, const struct text_block *now,
               struct explained_block *to)
{
  const size_t block = procmaps_block ();
  char buffer[40];
  const char *remedy = "";
  *to = (struct explained_block){ .address = now->start,
                                  .text = now->text,
                                  .huge = now->huge,
                                  .small = now->small,
                                  .backing = now->backing,
                                  .heat = HUGETEXT_HEAT_UNKNOWN };
  if (now->huge > 0)
    {
      to->verdict = "huge";
      snprintf (to->reason, sizeof to->reason, "%s",
                backing_names (now->backing, buffer));
    }
  else if (now->text < block)
    {
      to->verdict = "not-whole";
      snprintf (to->reason, sizeof to->reason,
                "only %zu of its %zu KiB can be executed", now->text / 1024,
                block / 1024);
    }
  else if (now->small < HUGETEXT_CODE_ENOUGH (block))
    {
      to->verdict = "not-full";
      snprintf (to->reason, sizeof to->reason,
                "only %zu of its %zu KiB are in use", now->small / 1024,
                block / 1024);
    }
  else if (all->verdict != NULL)
    {
      to->verdict = all->verdict;
      snprintf (to->reason, sizeof to->reason, "%s", all->reason);
      remedy = all->remedy;
    }
  else if (all->full)
    {
      to->verdict = "over-cap";
      strcpy (to->reason, "the process has all the huge pages that it may"
                          " have");
      remedy = "a larger --max";
    }
  else
    {
      to->verdict = "not-made";
      strcpy (to->reason, "it has filled since the last look, or there was no"
                          " huge page, or the kernel has divided it");
    }
  snprintf (to->remedy, sizeof to->remedy, "%s", remedy);
}

bool
explain_code (const struct inspection *found, const struct settings *settings,
              size_t huge, size_t cap, struct explained *to)
{
  const struct object_text *code = &found->objects.made;
  struct circumstances all = { .full = huge >= cap };
  if (code->text == 0)
    return false;
  *to = (struct explained){ .name = strdup (code->name),
                            .in_process = true,
                            .made = true,
                            .nblocks = code->nblocks };
  to->blocks = calloc (code->nblocks, sizeof *to->blocks);
  if (to->name == NULL || (to->blocks == NULL && code->nblocks > 0))
    {
      explained_free (to);
      return false;
    }
  judge (found, settings, &all);
  snprintf (to->kind, sizeof to->kind,
            "%zu KiB can be executed, %zu KiB are in use", code->text / 1024,
            (code->huge + code->small) / 1024);
  for (size_t i = 0; i < code->nblocks; ++i)
    explain_block (&all, &code->blocks[i], &to->blocks[i]);
  return true;
}
