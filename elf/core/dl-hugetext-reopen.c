/* A list of files that a running program has opened and whose text had no huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-state.h"
#include "dl-hugetext.h"

/* The maximum value of the member "wait" of struct hugetext_small_file.  */
#define WAIT_MAX 64

bool
_dl_hugetext_has_file_only (const struct hugetext_state *state)
{
  return (_dl_hugetext_program_runs ()
          && !hugetext_may_copy (state->set.backing) && !state->set.has.images
          && !state->set.has.heats);
}

/* Return the entry for FILE in the list of files without huge pages, or
   NULL.  */
static struct hugetext_small_file *
reopen_find_file (struct hugetext_state *state,
                  const struct hugetext_identity *file)
{
  struct hugetext_findings *findings = &state->findings;
  for (size_t i = 0; i < HUGETEXT_SMALL_FILES && i < findings->nsmall; ++i)
    if (memcmp (&findings->small[i].file, file, sizeof *file) == 0)
      return &findings->small[i];
  return NULL;
}

void
_dl_hugetext_note_small (struct hugetext_state *state,
                         const struct hugetext_record *record,
                         const struct hugetext_placement *placement)
{
  struct hugetext_findings *findings = &state->findings;
  struct hugetext_small_file *small = reopen_find_file (state, &record->file);
  if (small == NULL)
    {
      small = &findings->small[findings->nsmall++ % HUGETEXT_SMALL_FILES];
      *small = (struct hugetext_small_file){ .file = record->file };
    }
  small->digest = record->digest;
  small->start = hugetext_object_start (&state->object);
  small->length = hugetext_object_length (&state->object);
  small->placement = *placement;
  small->wait
      = (small->wait == 0 ? 1 : hugetext_min (2 * small->wait, WAIT_MAX));
  small->left = small->wait;
  small->nblocks = 0;
}

const struct hugetext_small_file *
_dl_hugetext_find_small (struct hugetext_state *state,
                         const struct link_map *l,
                         const struct hugetext_mapping *mapping)
{
  struct hugetext_findings *findings = &state->findings;
  const struct hugetext_identity *file;
  struct hugetext_small_file *small;
  const uintptr_t page = state->set.geo.page;
  /* The remembered placement of an object includes slack (free addresses
     around the object), but the loader reserves slack only if address space is
     unlimited.  */
  if (findings->nsmall == 0 || findings->space != HUGETEXT_YES
      || mapping->fixed || !_dl_hugetext_has_file_only (state)
      || (file = _dl_hugetext_asked_file (l, mapping->fd)) == NULL
      || (small = reopen_find_file (state, file)) == NULL || small->left == 0
      || small->start != mapping->start
      || small->length != ((mapping->length + page - 1) & -page))
    return NULL;
  --small->left;
  return small;
}

void
_dl_hugetext_note_small_block (struct hugetext_state *state,
                               const struct hugetext_record *record,
                               uintptr_t block, enum hugetext_reason reason)
{
  struct hugetext_small_file *small = reopen_find_file (state, &record->file);
  /* The reasons why the blocks of a file are small are valid only if the
     loader places the object as it did before, in a range that it reserves.
     If the loader placed the object at another address, each block would hold
     another part of the object.  */
  if (small == NULL || record->entry.high == 0)
    return;
  const uintptr_t at = block - record->map->l_addr;
  if (small->nblocks == 0)
    small->first = at;
  const size_t i = (at - small->first) / state->set.geo.block;
  small->nblocks = hugetext_min (i, HUGETEXT_SMALL_BLOCKS) + 1;
  if (i < HUGETEXT_SMALL_BLOCKS)
    small->reason[i] = reason;
}

bool
_dl_hugetext_copy_reasons (struct hugetext_state *state,
                           struct hugetext_record *record)
{
  const struct hugetext_small_file *small
      = reopen_find_file (state, &record->file);
  /* The reasons why the blocks of a file are small are valid only if the
     loader has placed the object as it did before, in a range that it has
     reserved.  If the loader placed the object at another address, each block
     would hold another part of the object.  */
  if (small == NULL || record->entry.high == 0 || small->nblocks == 0
      || small->nblocks > HUGETEXT_SMALL_BLOCKS)
    return false;
  for (size_t i = 0; i < small->nblocks; ++i)
    if (small->reason[i] != HUGETEXT_NONE)
      _dl_hugetext_record_reason (
          state, record,
          (record->map->l_addr + small->first + i * state->set.geo.block),
          small->reason[i]);
  return true;
}
