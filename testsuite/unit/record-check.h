/* Checks of any memory in which the command looks for a record of the loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RECORD_CHECK_H
#define RECORD_CHECK_H 1

#include <string.h>

#include "damage.h"

/* The command's own source.  */
#include "text/loader-record.c"

/* The memory begins at this address, that of the loader's ELF header.  */
#define RECORD_BASE 0x10000
#define ENTRY_SIZE 48

/* One that is right, with a chunk behind the entries of the record.  */
static struct record_image
{
  struct hugetext_record_note note;
  unsigned char on[8];
  struct hugetext_root root;
  struct hugetext_record_head head;
  char entries[3][ENTRY_SIZE];
  struct
  {
    uint64_t next;
    char entries[2][ENTRY_SIZE];
  } chunk;
  struct hugetext_memory memory;
  char spare[(ENTRIES_MAX + 1) * ENTRY_SIZE]; /* Nothing, but it is there.  */
} right_record;

#define RECORD_AT(member) \
  ((uintptr_t) &right_record.member - (uintptr_t) &right_record)

/* Put an entry with the blocks [FIRST, FIRST + N) at TO.  */
static void
put_entry (char *to, uint64_t start, size_t first, size_t n)
{
  const struct hugetext_entry entry = { .start = start,
                                        .bias = start,
                                        .first = first,
                                        .nblocks = n,
                                        .used = 1,
                                        .populated = 1 };
  memcpy (to, &entry, sizeof entry);
}

static const struct record_image *
make_right_record (void)
{
  struct record_image *r = &right_record;
  r->note = (struct hugetext_record_note){
    .version = HUGETEXT_RECORD_VERSION,
    .root = RECORD_AT (root) - RECORD_AT (note.root),
    .settings = RECORD_AT (on) - RECORD_AT (note.settings),
    .loader = -(int32_t) RECORD_AT (note.loader)
  };
  r->on[0] = 1;
  r->root.head = (void *) (RECORD_BASE + RECORD_AT (head));
  r->head = (struct hugetext_record_head){
    .version = HUGETEXT_RECORD_VERSION,
    .size = sizeof r->head,
    .block = 0x200000,
    .memory = RECORD_BASE + RECORD_AT (memory),
    .entry_size = ENTRY_SIZE,
    .entries = 3,
    .chunk_entries = 2,
    .entries_at = RECORD_AT (entries) - RECORD_AT (head),
    .chunk_at = RECORD_AT (chunk.entries) - RECORD_AT (chunk),
    .chunks = RECORD_BASE + RECORD_AT (chunk),
    .nfates = 12
  };
  put_entry (r->entries[0], 0x400000, 0, 5);
  put_entry (r->entries[2], 0x8000000, 5, 4);
  put_entry (r->chunk.entries[0], 0x10000000, 9, 3);
  memset (r->head.fate, HUGETEXT_FATE_COPY, 12);
  strcpy (r->memory.program, "/a");
  return r;
}

/* Memory that has SIZE bytes in a piece of just that size, so that a read
   beyond it is seen.  */
struct record_bytes
{
  const char *bytes;
  size_t size;
  uint64_t reads; /* Bytes that have been copied.  */
};

static bool
get_bytes (void *closure, uint64_t address, void *buffer, size_t size)
{
  struct record_bytes *memory = closure;
  uint64_t at = address - RECORD_BASE;
  if (address < RECORD_BASE || at > memory->size || size > memory->size - at)
    return false;
  memcpy (buffer, memory->bytes + at, size);
  memory->reads += size;
  return true;
}

/* Look up a block of each of RECORD's entries, its first and last one and
   those beside them.  */
static void
ask_for_blocks (const struct loader_record *record)
{
  for (size_t i = 0; i < record->count; ++i)
    {
      const struct hugetext_entry *entry = &record->entries[i];
      const uint64_t block = record->head.block;
      EXPECT (entry->first + entry->nblocks <= HUGETEXT_RECORD_BLOCKS);
      for (uint64_t k = 0; k <= entry->nblocks; ++k)
        {
          uint64_t at = entry->start + k * block;
          unsigned int fate = loader_record_fate (record, entry, at);
          if (k == entry->nblocks && at > entry->start)
            EXPECT_EQUAL (fate, HUGETEXT_FATE_NONE);
          EXPECT (fate <= UINT8_MAX);
        }
      EXPECT_EQUAL (loader_record_fate (record, entry, entry->start - 1),
                    HUGETEXT_FATE_NONE);
      const struct hugetext_entry *found
          = loader_record_find (record, entry->bias);
      EXPECT (found == NULL || found->bias == entry->bias);
    }
}

/* Read the record in SIZE bytes at BYTES, and all that it says.  Returns
   whether there is one.  */
static bool
check_record (const char *bytes, size_t size)
{
  char *copy = malloc (size + 1);
  EXPECT (copy != NULL);
  memcpy (copy, bytes, size);
  struct record_bytes memory = { .bytes = copy, .size = size };
  const struct record_memory reader = { get_bytes, &memory, true };
  struct hugetext_record_note note = { .version = 0 };
  struct loader_record record;
  struct settings settings;
  if (size >= sizeof note)
    memcpy (&note, copy, sizeof note);
  const char *problem
      = loader_record_read (&record, &reader, RECORD_BASE, &note);
  EXPECT ((problem == NULL) || (!record.kept && record.entries == NULL));
  /* No more than that of chunks in a circle.  */
  EXPECT (memory.reads <= (CHUNKS_MAX + 1) * (uint64_t) (size + 8) + size);
  bool kept = record.kept;
  if (kept)
    {
      EXPECT (record.head.nfates <= HUGETEXT_RECORD_BLOCKS);
      ask_for_blocks (&record);
      loader_record_settings (&record, &settings);
      if (record.indexed)
        EXPECT (strlen (settings.advice.text.objects)
                < sizeof settings.advice.text.objects);
      for (size_t key = 0; record.indexed && key < HUGETEXT_KEYS; ++key)
        EXPECT (strlen (settings.advice.text.source[key])
                < sizeof settings.advice.text.source[key]);
      loader_record_free (&record);
    }
  free (copy);
  return kept;
}

#endif /* RECORD_CHECK_H */
