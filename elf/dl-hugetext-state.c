/* Settings, budget and records of ld-hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dl-tunables.h>
#include <hugetext-cpu.h>
#include <unistd.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

/* Larger huge pages than this are not worth having for text (the kernel's
   are 512 MiB when small pages are 64 KiB).  Also the largest for which a
   mapping may be aligned without wasting much address space.  */
#define BLOCK_MAX (32UL << 20)

/* Records come in chunks of one small mapping each.  */
#define RECORDS_PER_CHUNK 60

struct hugetext_records
{
  struct hugetext_records *next;
  struct hugetext_record record[RECORDS_PER_CHUNK];
};

/* The one variable: not yet known, off, or the state.  */
static struct hugetext_state *state;
static bool state_known;

/* Readable and writable zeroed memory, NULL if there is none.  */
static void *
get_memory (size_t size)
{
  long int address = sys_mmap (0, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return sys_failed (address) ? NULL : (void *) address;
}

/* The size of the kernel's huge pages: what one page of page table entries
   maps.  0 if that is more than BLOCK_MAX.  */
static uintptr_t
block_size (uintptr_t page)
{
  uintptr_t block = page * (page / sizeof (uint64_t));
  return block <= BLOCK_MAX ? block : 0;
}

static struct hugetext_state *
read_settings (void)
{
  int32_t mode = TUNABLE_GET_FULL (glibc, mem, hugetext, int32_t, NULL);
  /* Bit 0 is programs and libraries; bit 1, code made at run time, is not
     built yet.  */
  if (__glibc_likely ((mode & 1) == 0) || __libc_enable_secure)
    return NULL;
  uintptr_t page = GLRO (dl_pagesize);
  uintptr_t block = block_size (page);
  if (block == 0)
    return NULL;

  struct hugetext_state *new = get_memory (sizeof *new);
  if (new == NULL)
    return NULL;
  new->geo.page = page;
  new->geo.block = block;
  new->backing
    = TUNABLE_GET_FULL (glibc, mem, hugetext_backing, int32_t, NULL);
  new->pad_threshold
    = TUNABLE_GET_FULL (glibc, mem, hugetext_pad_threshold, size_t, NULL);
  new->cap = TUNABLE_GET_FULL (glibc, mem, hugetext_max, size_t, NULL);
  if (new->cap == 0)
    new->cap = hugetext_cpu_blocks ();
  return new;
}

struct hugetext_state *
_dl_hugetext_state (void)
{
  if (__glibc_unlikely (!state_known))
    {
      state = read_settings ();
      state_known = true;
    }
  return state;
}

struct hugetext_object *
_dl_hugetext_begin (ElfW(Addr) align)
{
  struct hugetext_state *state = _dl_hugetext_state ();
  if (__glibc_likely (state == NULL))
    return NULL;
  state->object.nsegments = 0;
  /* An object may ask for less than a page, or nothing (0 and 1 mean the
     same), but is mapped in pages.  */
  state->object.align = align < state->geo.page ? state->geo.page : align;
  return &state->object;
}

struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
{
  for (struct hugetext_records *c = state->records; c != NULL; c = c->next)
    for (size_t i = 0; i < RECORDS_PER_CHUNK; ++i)
      if (c->record[i].map == l)
        return &c->record[i];
  return NULL;
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
      chunk->next = state->records;
      state->records = chunk;
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
