/* The state that the loader keeps between the hooks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-chain.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The bytes of a chunk of records for which the state has no room.  */
#define CHUNK_SIZE 4096

_Static_assert(offsetof (struct hugetext_state,
                         ranking.count[HUGETEXT_RANKS + 1])
                   <= 8192,
               "what every process touches fits in two pages");
_Static_assert(offsetof (struct hugetext_record, entry) == 0,
               "readers know where entries are");

static struct hugetext_state *state;

/* Map readable and writable zeroed memory, NULL if there is none.  */
static void *
get_memory (size_t size)
{
  long int address = sys_mmap (0, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return sys_failed (address) ? NULL : (void *) address;
}

struct hugetext_state *
_dl_hugetext_old_state (void)
{
  return state;
}

bool
_dl_hugetext_no_gain (void)
{
  struct hugetext_root *root = &_dl_hugetext_root;
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  if (root->no_gain == HUGETEXT_NOT_ASKED)
    root->no_gain = (hugetext_needs_thp (set->backing, set->has.images)
                             && _dl_hugetext_thp_off (&set->geo)
                         ? HUGETEXT_YES
                         : HUGETEXT_NO);
  return root->no_gain == HUGETEXT_YES;
}

/* Fill in the constant members of STATE's record.  */
static void
begin_record (struct hugetext_state *state)
{
  const struct hugetext_settings *set = &state->set;
  struct hugetext_record_head *head = &state->head;

  head->version = HUGETEXT_RECORD_VERSION;
  head->size = sizeof *head;
  head->block = set->geo.block;
  head->value[HUGETEXT_KEY_MODE]
      = set->text | set->code << 1 | set->prctl << 2;
  head->value[HUGETEXT_KEY_BACKING] = set->backing;
  head->value[HUGETEXT_KEY_PAD] = set->pad_threshold;
  head->value[HUGETEXT_KEY_MAX] = set->cap;
  head->value[HUGETEXT_KEY_LOCK] = set->lock;
  head->from_tunable = set->from_tunable;
  head->from_index = set->from_index;
  head->advice = (uintptr_t) _dl_hugetext_advice ();
  head->entry_size = sizeof (struct hugetext_record);
  state->first.chunk.n = HUGETEXT_RECORDS;
  head->chunks = (uintptr_t) &state->first;
  __atomic_store_n (&_dl_hugetext_root.head, head, __ATOMIC_RELEASE);
}

struct hugetext_state *
_dl_hugetext_state (void)
{
  if (state == NULL && !_dl_hugetext_no_gain ()
      && (state = get_memory (sizeof *state)) != NULL)
    {
      state->set = *_dl_hugetext_settings ();
      state->ledger.cap = state->ledger.copies_cap = state->set.cap;
      state->attempt.geo = state->set.geo;
      state->attempt.lessons = &state->lessons;
      state->attempt.scratch = &state->scratch;
      begin_record (state);
    }
  return state;
}

/* Return the record behind RECORD, or the first one of STATE if RECORD is
   NULL.  CHUNK is the chunk that has RECORD.  NULL if there is no more.  */
static struct hugetext_record *
next_record (const struct hugetext_state *state, struct hugetext_chunk **chunk,
             struct hugetext_record *record)
{
  uintptr_t next = state->head.chunks;
  if (record != NULL)
    {
      struct hugetext_record *first = (void *) (*chunk + 1);
      if ((size_t) (++record - first) < (*chunk)->n)
        return record;
      next = (*chunk)->next;
    }
  *chunk = (struct hugetext_chunk *) next;
  return next != 0 ? (struct hugetext_record *) (*chunk + 1) : NULL;
}

struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
{
  struct hugetext_chunk *chunk;
  struct hugetext_record *record = NULL;
  while ((record = next_record (state, &chunk, record)) != NULL
         && record->map != l)
    continue;
  return record;
}

struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
{
  /* A free record has no link map.  */
  struct hugetext_record *record = _dl_hugetext_find (state, NULL);
  if (record == NULL)
    {
      struct hugetext_chunk *chunk = get_memory (CHUNK_SIZE);
      if (chunk == NULL)
        return NULL;
      chunk->next = state->head.chunks;
      chunk->n = (CHUNK_SIZE - sizeof *chunk) / sizeof *record;
      __atomic_store_n (&state->head.chunks, (uintptr_t) chunk,
                        __ATOMIC_RELEASE);
      record = (struct hugetext_record *) (chunk + 1);
    }
  *record = (struct hugetext_record){ .map = l, .entry.used = 1 };
  return record;
}

void
_dl_hugetext_change_record (struct hugetext_state *state)
{
  __atomic_store_n (&state->head.sequence, state->head.sequence + 1,
                    __ATOMIC_SEQ_CST);
}

void
_dl_hugetext_open_record (struct hugetext_state *state,
                          struct hugetext_record *record,
                          struct hugetext_fates *fates)
{
  struct hugetext_record_head *head = &state->head;
  struct hugetext_entry *entry = &record->entry;
  const struct hugetext_geometry *geo = &state->set.geo;
  uintptr_t block, last = 0;
  for (uintptr_t from = 0;
       hugetext_next_block (&state->object, geo, from, &block);
       from = block + geo->block)
    {
      if (last == 0)
        fates->start = block;
      last = block;
    }
  entry->start = fates->start;
  size_t n = last != 0 ? (last - fates->start) / geo->block + 1 : 0;
  entry->unrecorded = n > HUGETEXT_RECORD_BLOCKS - head->nfates;
  if (entry->unrecorded || n == 0)
    return;
  entry->first = head->nfates;
  entry->nblocks = fates->n = n;
  fates->fate = memset (head->fate + entry->first, HUGETEXT_FATE_NONE, n);
  head->nfates += n;
}

void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record)
{
  struct hugetext_record_head *head = &state->head;
  const size_t first = record->entry.first, n = record->entry.nblocks;
  _dl_hugetext_change_record (state);
  _dl_hugetext_ledger_return (&state->ledger, &record->charge);
  record->entry.used = 0;
  record->map = NULL;
  /* Move the fates of other objects down over this one's.  */
  head->nfates -= n;
  memmove (head->fate + first, head->fate + first + n, head->nfates - first);
  struct hugetext_chunk *chunk;
  for (record = NULL; (record = next_record (state, &chunk, record)) != NULL;)
    if (record->entry.used && record->entry.first > first)
      record->entry.first -= n;
  _dl_hugetext_change_record (state);
}
