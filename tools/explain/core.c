/* "hugetext explain CORE": the blocks that the loader had made in an ended
   process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The record says which blocks the loader has made and why not the others.  A
   core does not say what the kernel had in the end.  */

#include "explain/reason.h"
#include "text/core.h"
#include "util/regular.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Explain the object of RECORD's ENTRY in TO.  */
static bool
explain_entry (const struct core *core, const struct loader_record *record,
               const struct hugetext_entry *entry,
               const struct settings *settings, struct explained_object *to)
{
  const char *file
      = core_file (core, entry->bias != 0 ? entry->bias : entry->start);
  *to = (struct explained_object){ .name = strdup (file != NULL ? file : "?"),
                                   .bias = entry->bias };
  to->blocks = calloc (entry->nblocks, sizeof *to->blocks);
  if (to->name == NULL || (to->blocks == NULL && entry->nblocks > 0))
    return false;
  strcpy (to->kind, "as the loader's record has it");
  for (size_t i = 0; i < entry->nblocks; ++i)
    {
      struct explained_block *block = &to->blocks[to->nblocks];
      block->address = entry->start + i * record->head.block;
      const unsigned int fate
          = (loader_record_fate (record, entry, block->address)
             & ~HUGETEXT_FATE_UNLOCKED);
      block->planned = fate >= HUGETEXT_FATE_OUTCOME;
      block->made = fate >= HUGETEXT_FATE_FILE;
      if (block->made)
        reason_set (block, "made",
                    fate == HUGETEXT_FATE_FILE
                        ? "the loader made it the file's"
                          " own huge page"
                    : fate == HUGETEXT_FATE_STORE
                        ? "the loader made it a huge page of its image in the"
                          " store"
                        : "the loader made it a copy on a huge page",
                    "");
      else if (fate != HUGETEXT_FATE_NONE)
        reason_of_small (entry, reason_left (entry, false), settings, fate,
                         block);
      to->nblocks += fate != HUGETEXT_FATE_NONE;
    }
  return true;
}

/* Explain CORE in TO.  Return NULL, or why that is not possible.  */
static const char *
explain (const struct core *core, struct explanation *to)
{
  struct loader_record record;
  const char *problem = core_record (core, &record);
  if (problem != NULL)
    return problem;
  if (!record.kept)
    return (record.no_gain ? "transparent huge pages were off when it was"
                             " started"
            : record.text  ? "no object of it could gain from huge pages"
                           : "huge text was switched off in it");
  loader_record_settings (&record, &to->settings);
  to->list = calloc (record.count + 1, sizeof *to->list);
  for (size_t i = 0; to->list != NULL && i < record.count; ++i)
    to->count += explain_entry (core, &record, &record.entries[i],
                                &to->settings, &to->list[to->count]);
  loader_record_free (&record);
  return to->list != NULL ? NULL : strerror (ENOMEM);
}

const char *
explain_core (const char *path, struct explanation *to)
{
  struct core *core;
  *to = (struct explanation){ .source = EXPLAINED_CORE };
  int fd = regular_open (path, 0);
  if (fd < 0)
    return "";
  const char *problem = core_open (fd, &core);
  if (problem == NULL)
    {
      problem = explain (core, to);
      core_close (core);
    }
  close (fd);
  return problem;
}
