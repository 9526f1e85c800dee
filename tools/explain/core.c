/* "hugetext explain CORE": the blocks that the loader had made in an ended
   process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The record says which blocks the loader has made and why not the others.  A
   core does not say what the kernel had in the end.  */

#include "explain/explain.h"
#include "explain/reason.h"
#include "object/elfobject.h"
#include "text/core.h"
#include "util/regular.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Explain the block at ADDRESS with FATE by the record, in TO.  */
static void
explain_block (const struct reason_context *context, uint64_t address,
               unsigned int fate, struct explained_block *to)
{
  to->address = address;
  to->heat = HUGETEXT_HEAT_UNKNOWN;
  fate &= ~HUGETEXT_FATE_UNLOCKED;
  to->planned = fate >= HUGETEXT_FATE_OUTCOME;
  to->made = fate >= HUGETEXT_FATE_FILE;
  if (to->made)
    {
      to->verdict = "made";
      snprintf (to->reason, sizeof to->reason, "the loader made it %s",
                fate == HUGETEXT_FATE_FILE ? "the file's own huge page"
                : fate == HUGETEXT_FATE_STORE
                    ? "a huge page of its image in the store"
                    : "a copy on a huge page");
    }
  else
    reason_of_small (context, fate, to);
  /* A core may lack the headers that tell how much text a block has.  */
  if (to->text == 0
      && fate == HUGETEXT_FATE_VERDICT + HUGETEXT_BELOW_THRESHOLD)
    strcpy (to->reason, "it holds fewer bytes of text than --pad");
}

/* Explain the object of RECORD's ENTRY in TO.  */
static bool
explain_entry (const struct core *core, const struct loader_record *record,
               const struct hugetext_entry *entry,
               const struct settings *settings, struct explained *to)
{
  const struct hugetext_geometry geo
      = { .page = elfobject_geometry ().page, .block = record->head.block };
  const struct reason_context context
      = { .entry = entry, .settings = settings };
  const char *file
      = core_file (core, entry->bias != 0 ? entry->bias : entry->start);
  Elf64_Phdr phdr[HUGETEXT_PHDRS_MAX];
  struct hugetext_object object;
  size_t n = core_headers (core, entry->bias, phdr, HUGETEXT_PHDRS_MAX);
  hugetext_describe (&object, phdr, n, geo.page);
  object.bias = entry->bias;
  const bool known = hugetext_object_check (&object, &geo) == NULL;
  *to = (struct explained){ .name = strdup (file != NULL ? file : "?"),
                            .in_process = true,
                            .in_core = true,
                            .bias = entry->bias,
                            .readable = true };
  to->blocks = calloc (entry->nblocks, sizeof *to->blocks);
  if (to->name == NULL || (to->blocks == NULL && entry->nblocks > 0))
    return false;
  strcpy (to->kind, "as the loader's record has it");
  for (size_t i = 0; i < entry->nblocks; ++i)
    {
      uint64_t at = entry->start + i * record->head.block;
      unsigned int fate = loader_record_fate (record, entry, at);
      if (fate == HUGETEXT_FATE_NONE)
        continue;
      struct explained_block *block = &to->blocks[to->nblocks++];
      if (known)
        block->text = hugetext_block_text (&object, &geo, at);
      explain_block (&context, at, fate, block);
    }
  return true;
}

const char *
explain_core (const char *path, struct explained **list, size_t *count,
              struct settings *settings)
{
  struct core *core;
  struct loader_record record;
  *list = NULL;
  *count = 0;
  int fd = regular_open (path, 0);
  if (fd < 0)
    return "";
  const char *problem = core_open (fd, &core);
  if (problem != NULL)
    {
      close (fd);
      return problem;
    }
  problem = core_record (core, &record);
  if (problem == NULL && !record.kept)
    problem = (record.no_gain ? "transparent huge pages were off when it was"
                                " started"
               : record.text  ? "no object of it could gain from huge pages"
                              : "huge text was switched off in it");
  if (problem == NULL)
    {
      loader_record_settings (&record, settings);
      *list = calloc (record.count + 1, sizeof **list);
      for (size_t i = 0; *list != NULL && i < record.count; ++i)
        *count += explain_entry (core, &record, &record.entries[i], settings,
                                 &(*list)[*count]);
      loader_record_free (&record);
      if (*list == NULL)
        problem = strerror (ENOMEM);
    }
  core_close (core);
  close (fd);
  return problem;
}
