/* The state that the loader keeps between the hooks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-ways.h"

/* The bytes of more records, if those in the state do not suffice.  */
#define MORE 4096

_Static_assert(offsetof (struct hugetext_state,
                         ranking.count[HUGETEXT_RANKS + 1])
                   <= 8192,
               "what every process touches fits in two pages");

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

/* Whether no object can gain because transparent huge pages are off.  */
static bool
has_no_gain (void)
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

/* Have STATE use the N records at RECORD for objects to come.  */
static void
add_spare (struct hugetext_state *state, struct hugetext_record *record,
           size_t n)
{
  while (n-- > 0)
    {
      record[n].next = state->spare;
      state->spare = &record[n];
    }
}

struct hugetext_state *
_dl_hugetext_state (void)
{
  if (state == NULL && !has_no_gain ()
      && (state = get_memory (sizeof *state)) != NULL)
    {
      state->set = *_dl_hugetext_settings ();
      state->ledger.cap = state->ledger.copies_cap = state->set.cap;
      add_spare (state, state->record, HUGETEXT_RECORDS);
      state->next_below = (uintptr_t) state;
      _dl_hugetext_publish_record (state);
    }
  return state;
}

struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
{
  struct hugetext_record *record = state->records;
  while (record != NULL && record->map != l)
    record = record->next;
  return record;
}

struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
{
  struct hugetext_record *record;
  if (state->spare == NULL && (record = get_memory (MORE)) != NULL)
    add_spare (state, record, MORE / sizeof *record);
  record = state->spare;
  if (record == NULL)
    return NULL;
  state->spare = record->next;
  *record = (struct hugetext_record){ .map = l, .next = state->records };
  state->records = record;
  return record;
}

void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record)
{
  struct hugetext_record **link = &state->records;
  _dl_hugetext_ledger_return (&state->ledger, &record->charge);
  _dl_hugetext_forget_record (state, record);
  while (*link != record)
    link = &(*link)->next;
  *link = record->next;
  add_spare (state, record, 1);
}
