/* What is kept between the hooks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* What there is no room for in the state comes in chunks of one small
   mapping each.  */
#define RECORDS_PER_CHUNK 40

struct hugetext_records
{
  struct hugetext_records *next;
  struct hugetext_record record[RECORDS_PER_CHUNK];
};

_Static_assert (offsetof (struct hugetext_state, ranking.cold) <= 8192,
                "what every process touches fits in two pages");
_Static_assert (sizeof (struct hugetext_state) <= 16384,
                "no more than four small pages: RLIMIT_DATA counts them");
_Static_assert (sizeof (struct hugetext_records) <= 4096,
                "a chunk fits in a page");

static struct hugetext_state *state;

/* Readable and writable zeroed memory, NULL if there is none.  */
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

/* Whether no object can gain.  */
static enum hugetext_answer no_gain;

bool
_dl_hugetext_no_gain (void)
{
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  /* Without a store, copies are all that most files can have.  Asked only
     where the choice is ours: a setting gets its answer for each block.  */
  if (no_gain == HUGETEXT_NOT_ASKED)
    no_gain = (set->backing == HUGETEXT_AUTO && !set->has.images
               && _dl_hugetext_thp_off (&set->geo)
               ? HUGETEXT_YES : HUGETEXT_NO);
  return no_gain == HUGETEXT_YES;
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
    }
  return state;
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
  struct hugetext_record *found
    = find_in (state->record, HUGETEXT_RECORDS, l);
  for (struct hugetext_records *chunk = state->more;
       chunk != NULL && found == NULL; chunk = chunk->next)
    found = find_in (chunk->record, RECORDS_PER_CHUNK, l);
  return found;
}

struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
{
  /* A free slot is one that belongs to no map.  */
  struct hugetext_record *record = _dl_hugetext_find (state, NULL);
  if (record == NULL)
    {
      struct hugetext_records *chunk = get_memory (sizeof *chunk);
      if (chunk == NULL)
        return NULL;
      chunk->next = state->more;
      state->more = chunk;
      record = chunk->record;
    }
  *record = (struct hugetext_record) { .map = l };
  return record;
}

void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record)
{
  _dl_hugetext_ledger_return (&state->ledger, &record->charge);
  record->map = NULL;
}
