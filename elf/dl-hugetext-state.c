/* Settings, budget and records of ld-hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dl-tunables.h>
#include <hugetext-cpu.h>
#include <unistd.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

/* What there is no room for in the state comes in chunks of one small
   mapping each.  */
#define RECORDS_PER_CHUNK 60

struct hugetext_records
{
  struct hugetext_records *next;
  struct hugetext_record record[RECORDS_PER_CHUNK];
};

_Static_assert (offsetof (struct hugetext_state, scratch) <= 4096,
                "what every process touches fits in a page");

/* All that is kept for processes without huge text.  */
static struct hugetext_settings settings;
static bool settings_known;
static struct hugetext_state *state;

/* Readable and writable zeroed memory, NULL if there is none.  */
static void *
get_memory (size_t size)
{
  long int address = sys_mmap (0, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return sys_failed (address) ? NULL : (void *) address;
}

static void
read_settings (void)
{
  settings_known = true;
  int32_t mode = TUNABLE_GET_FULL (glibc, mem, hugetext, int32_t, NULL);
  /* Bit 0 is programs and libraries; bit 1, code made at run time, is not
     built yet.  */
  if (__glibc_likely ((mode & 1) == 0) || __libc_enable_secure)
    return;
  struct hugetext_geometry geo = hugetext_geometry (GLRO (dl_pagesize));
  if (geo.block == 0)
    return;
  settings.backing
    = TUNABLE_GET_FULL (glibc, mem, hugetext_backing, int32_t, NULL);
  settings.pad_threshold = hugetext_threshold (
    &geo, TUNABLE_GET_FULL (glibc, mem, hugetext_pad_threshold, size_t,
                            NULL));
  settings.cap = TUNABLE_GET_FULL (glibc, mem, hugetext_max, size_t, NULL);
  settings.lock = TUNABLE_GET_FULL (glibc, mem, hugetext_lock, int32_t, NULL);
  /* Last: this switches it on.  */
  settings.geo = geo;
}

const struct hugetext_settings *
_dl_hugetext_settings (void)
{
  if (__glibc_unlikely (!settings_known))
    read_settings ();
  return __glibc_likely (settings.geo.block == 0) ? NULL : &settings;
}

bool
_dl_hugetext_enabled (void)
{
  return _dl_hugetext_settings () != NULL;
}

struct hugetext_state *
_dl_hugetext_old_state (void)
{
  return state;
}

/* Whether any block can be had.  Copies are all that most files can have;
   asked only where the choice is ours: a setting gets its answer for each
   block.  */
static bool
can_gain (void)
{
  static bool asked;
  if (!asked && settings.backing == HUGETEXT_AUTO)
    settings.no_thp = _dl_hugetext_thp_never ();
  asked = true;
  return !settings.no_thp;
}

struct hugetext_state *
_dl_hugetext_state (void)
{
  if (state == NULL && can_gain ()
      && (state = get_memory (sizeof *state)) != NULL)
    {
      state->set = settings;
      if (state->set.cap == 0)
        state->set.cap = hugetext_cpu_blocks ();
      state->pagemap = -1;
      state->no_slack = _dl_hugetext_space_limited ();
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
  state->used -= record->blocks;
  record->map = NULL;
}
