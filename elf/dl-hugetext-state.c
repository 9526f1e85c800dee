/* The state that the loader keeps between the hooks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-ways.h"

/* The bytes of more records, if those in the state do not suffice.  */
#define MORE 4096

_Static_assert(offsetof (struct hugetext_state,
                         ranking.count[HUGETEXT_RANKS + 1])
                   <= 8192,
               "what every process touches fits in two pages");
_Static_assert(offsetof (struct hugetext_record, entry) == 0,
               "readers know where entries are");

static struct hugetext_state *state;

/* Map readable and writable zeroed memory, NULL if there is none.  All of its
   few pages at once, since a fault for each would cost more.  */
static void *
get_memory (size_t size)
{
  long int address
      = sys_mmap (0, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
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

struct hugetext_state *
_dl_hugetext_state (void)
{
  if (state == NULL && !_dl_hugetext_no_gain ()
      && (state = get_memory (sizeof *state)) != NULL)
    {
      state->set = *_dl_hugetext_settings ();
      state->ledger.cap = state->ledger.copies_cap = state->set.cap;
      state->unused = state->record;
      state->nunused = HUGETEXT_RECORDS;
      state->last_low = (uintptr_t) state;
      state->head.block = state->set.geo.block;
      __atomic_store_n (&_dl_hugetext_root.head, &state->head,
                        __ATOMIC_RELEASE);
    }
  return state;
}

/* The record at ADDRESS, NULL if that is 0.  */
static struct hugetext_record *
record_at (uint64_t address)
{
  return (struct hugetext_record *) (uintptr_t) address;
}

/* Return a record of STATE that is USED or not and has link map L, or
   NULL.  */
static struct hugetext_record *
find_record (const struct hugetext_state *state, bool used,
             const struct link_map *l)
{
  struct hugetext_record *record = record_at (state->head.entries);
  while (record != NULL && (record->used != used || record->map != l))
    record = record_at (record->entry.next);
  return record;
}

/* Return a record that has not been used, which is one of STATE's now.  NULL
   if there is no memory for one.  */
static struct hugetext_record *
add_record (struct hugetext_state *state)
{
  if (state->nunused == 0)
    {
      state->unused = get_memory (MORE);
      if (state->unused == NULL)
        return NULL;
      state->nunused = MORE / sizeof *state->unused;
    }
  struct hugetext_record *record = state->unused++;
  --state->nunused;
  record->entry.next = state->head.entries;
  __atomic_store_n (&state->head.entries, (uintptr_t) record,
                    __ATOMIC_RELEASE);
  return record;
}

struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
{
  return find_record (state, true, l);
}

struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
{
  struct hugetext_record *record = find_record (state, false, NULL);
  if (record == NULL)
    record = add_record (state);
  if (record == NULL)
    return NULL;
  /* Other processes read the list.  */
  _dl_hugetext_change_record (state);
  *record = (struct hugetext_record){ .used = true,
                                      .map = l,
                                      .entry.next = record->entry.next };
  _dl_hugetext_change_record (state);
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
                          struct hugetext_record *record)
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
        entry->start = block;
      last = block;
    }
  size_t n = last != 0 ? (last - entry->start) / geo->block + 1 : 0;
  entry->unrecorded = n > HUGETEXT_RECORD_BLOCKS - head->nfates;
  if (entry->unrecorded || n == 0)
    return;
  entry->first = head->nfates;
  entry->nblocks = n;
  memset (head->fate + entry->first, HUGETEXT_FATE_NONE, n);
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
  record->entry.populated = record->entry.nblocks = 0;
  record->used = false;
  record->map = NULL;
  /* Move the fates of other objects down over this one's.  */
  head->nfates -= n;
  memmove (head->fate + first, head->fate + first + n, head->nfates - first);
  for (record = record_at (head->entries); record != NULL;
       record = record_at (record->entry.next))
    if (record->entry.first > first)
      record->entry.first -= n;
  _dl_hugetext_change_record (state);
}
