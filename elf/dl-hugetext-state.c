/* The state that the loader keeps between the hooks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-chain.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The number of records in a chunk: records for which the state has no room
   come in chunks of one small page each.  */
#define RECORDS_PER_CHUNK 30

struct hugetext_records
{
  struct hugetext_records *next;
  struct hugetext_record record[RECORDS_PER_CHUNK];
};

_Static_assert(offsetof (struct hugetext_state,
                         ranking.count[HUGETEXT_RANKS + 1])
                   <= 8192,
               "what every process touches fits in two pages");
_Static_assert(sizeof (struct hugetext_state) <= 20480,
               "no more than five small pages: RLIMIT_DATA counts them");
_Static_assert(offsetof (struct hugetext_settings, index_error)
                   == offsetof (struct hugetext_record_settings, index_error),
               "readers know where the settings begin");
_Static_assert(offsetof (struct hugetext_record, entry) == 0,
               "readers know where entries are");
_Static_assert(sizeof (struct hugetext_records) <= 4096,
               "a chunk fits in a page");

static struct hugetext_state *state;

struct hugetext_root _dl_hugetext_root;

#define STRING(x) STRING_1 (x)
#define STRING_1(x) #x

asm(".pushsection .note." HUGETEXT_RECORD_NOTE ", \"a\", %note\n"
    "  .balign 4\n"
    "  .long 2f - 1f, 4f - 3f, " STRING (
        HUGETEXT_RECORD_NOTE_TYPE) "\n"
                                   "1:.asciz \"" HUGETEXT_RECORD_NOTE "\"\n"
                                   "2:.balign 4\n"
                                   "3:.long " STRING (
                                       HUGETEXT_RECORD_VERSION) "\n"
                                                                "  .long "
                                                                "_dl_hugetext_"
                                                                "root - .\n"
                                                                "  .long "
                                                                "_dl_hugetext_"
                                                                "set - .\n"
                                                                "  .long "
                                                                "__ehdr_start "
                                                                "- .\n"
                                                                "4:."
                                                                "popsection"
                                                                "\n");

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

/* Fill in the constant members of STATE's head.  */
static void
begin_head (struct hugetext_state *state)
{
  const struct hugetext_settings *set = &state->set;
  struct hugetext_record_head *head = &state->head;
  const size_t at = offsetof (struct hugetext_state, head);

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
  head->memory = (uintptr_t) set->memory;
  head->entry_size = sizeof (struct hugetext_record);
  head->entries = HUGETEXT_RECORDS;
  head->chunk_entries = RECORDS_PER_CHUNK;
  head->entries_at = offsetof (struct hugetext_state, record) - at;
  head->chunk_at = offsetof (struct hugetext_records, record);
}

struct hugetext_state *
_dl_hugetext_state (void)
{
  if (state == NULL && !_dl_hugetext_no_gain ()
      && (state = get_memory (sizeof *state)) != NULL)
    {
      state->set = *_dl_hugetext_settings ();
      _dl_hugetext_ledger_open (&state->ledger, state->set.cap);
      state->attempt.geo = state->set.geo;
      state->attempt.lessons = &state->lessons;
      state->attempt.scratch = &state->scratch;
      _dl_hugetext_take_index (&state->attempt.index);
      begin_head (state);
      __atomic_store_n (&_dl_hugetext_root.head, &state->head,
                        __ATOMIC_RELEASE);
    }
  return state;
}

/* Return the first chunk of STATE's records.  */
static struct hugetext_records *
chunks (const struct hugetext_state *state)
{
  return (struct hugetext_records *) (uintptr_t) state->head.chunks;
}

static struct hugetext_record *
find_in (struct hugetext_record record[], size_t n, const struct link_map *l)
{
  for (size_t i = 0; i < n; ++i)
    if (record[i].map == l)
      return &record[i];
  return NULL;
}

struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
{
  struct hugetext_record *found = find_in (state->record, HUGETEXT_RECORDS, l);
  for (struct hugetext_records *chunk = chunks (state);
       chunk != NULL && found == NULL; chunk = chunk->next)
    found = find_in (chunk->record, RECORDS_PER_CHUNK, l);
  return found;
}

struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
{
  /* A free record has no link map.  */
  struct hugetext_record *record = _dl_hugetext_find (state, NULL);
  if (record == NULL)
    {
      struct hugetext_records *chunk = get_memory (sizeof *chunk);
      if (chunk == NULL)
        return NULL;
      chunk->next = chunks (state);
      __atomic_store_n (&state->head.chunks, (uintptr_t) chunk,
                        __ATOMIC_RELEASE);
      record = chunk->record;
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
_dl_hugetext_changed_record (struct hugetext_state *state)
{
  struct hugetext_record_head *head = &state->head;
  const struct hugetext_ledger *ledger = &state->ledger;
  head->cap = ledger->cap;
  head->copies_cap = ledger->copies_cap;
  head->room = ledger->room_known ? ledger->copies_room : UINT64_MAX;
  head->blocks = ledger->used.blocks;
  head->copies = ledger->used.copies;
  head->code = _dl_hugetext_ledger_code (ledger);
  _dl_hugetext_change_record (state);
}

uint8_t *
_dl_hugetext_open_record (struct hugetext_state *state,
                          struct hugetext_record *record, uintptr_t start,
                          size_t nblocks)
{
  struct hugetext_record_head *head = &state->head;
  struct hugetext_entry *entry = &record->entry;
  entry->start = start;
  entry->unrecorded = nblocks > (size_t) HUGETEXT_RECORD_BLOCKS - head->nfates;
  if (entry->unrecorded)
    return NULL;
  entry->first = head->nfates;
  entry->nblocks = nblocks;
  head->nfates += nblocks;
  return memset (head->fate + entry->first, HUGETEXT_FATE_NONE, nblocks);
}

/* Move the bytes of those of the N records RECORD that are behind FIRST down
   by NBLOCKS.  */
static void
move_down (struct hugetext_record record[], size_t n, size_t first,
           size_t nblocks)
{
  for (size_t i = 0; i < n; ++i)
    if (record[i].map != NULL && record[i].entry.first > first)
      record[i].entry.first -= nblocks;
}

/* Free ENTRY's bytes in STATE's head.  */
static void
close_record (struct hugetext_state *state, const struct hugetext_entry *entry)
{
  struct hugetext_record_head *head = &state->head;
  size_t first = entry->first, n = entry->nblocks;
  if (n == 0)
    return;
  head->nfates -= n;
  memmove (head->fate + first, head->fate + first + n, head->nfates - first);
  move_down (state->record, HUGETEXT_RECORDS, first, n);
  for (struct hugetext_records *chunk = chunks (state); chunk != NULL;
       chunk = chunk->next)
    move_down (chunk->record, RECORDS_PER_CHUNK, first, n);
}

void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record)
{
  _dl_hugetext_change_record (state);
  _dl_hugetext_ledger_return (&state->ledger, &record->charge);
  close_record (state, &record->entry);
  record->entry.used = 0;
  record->map = NULL;
  ++state->head.closed;
  _dl_hugetext_changed_record (state);
}
