/* Checks that the command can look for a record of the loader in any memory
   without harm.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RECORD_CHECK_H
#define RECORD_CHECK_H 1

#include <string.h>

#include "damage.h"

/* Include the command's own source.  */
#include "text/record.c"

/* The address at which the memory begins, and with it the loader's ELF
   header.  */
#define RECORD_BASE 0x10000

/* Memory with a valid record.  */
static struct record_image
{
  Elf64_Ehdr elf;
  Elf64_Phdr phdr;
  Elf64_Nhdr note_head;
  char note_name[(sizeof HUGETEXT_RECORD_NOTE + 3) & -4UL];
  struct hugetext_record_note note;
  struct hugetext_root root;
  struct hugetext_record_head head;
  struct hugetext_record_run runs[6];
  struct hugetext_advice advice;
  struct hugetext_entry entries[3];
  char spare[64]; /* Unused memory, which exists nevertheless.  */
} right_record;

#define RECORD_AT(member) \
  ((uintptr_t) &right_record.member - (uintptr_t) &right_record)

/* Return an entry with the runs [FIRST, FIRST + NRUNS), which have NBLOCKS
   blocks.  NEXT is the address of the following entry.  */
static struct hugetext_entry
an_entry (uint64_t start, size_t first, size_t nruns, size_t nblocks,
          uint64_t next)
{
  return (struct hugetext_entry){ .next = next,
                                  .start = start,
                                  .bias = start,
                                  .first = first,
                                  .nruns = nruns,
                                  .nblocks = nblocks };
}

static const struct record_image *
make_right_record (void)
{
  struct record_image *r = &right_record;
  memcpy (r->elf.e_ident, ELFMAG, SELFMAG);
  r->elf.e_ident[EI_CLASS] = ELFCLASS64;
  r->elf.e_phentsize = sizeof r->phdr;
  r->elf.e_phoff = RECORD_AT (phdr);
  r->elf.e_phnum = 1;
  r->phdr
      = (Elf64_Phdr){ .p_type = PT_NOTE,
                      .p_vaddr = RECORD_AT (note_head),
                      .p_filesz = RECORD_AT (root) - RECORD_AT (note_head) };
  r->note_head = (Elf64_Nhdr){ .n_namesz = sizeof HUGETEXT_RECORD_NOTE,
                               .n_descsz = sizeof r->note,
                               .n_type = HUGETEXT_RECORD_NOTE_TYPE };
  strcpy (r->note_name, HUGETEXT_RECORD_NOTE);
  r->note = (struct hugetext_record_note){
    .version = HUGETEXT_RECORD_VERSION,
    .root = RECORD_AT (root) - RECORD_AT (note.root),
    .loader = -(int32_t) RECORD_AT (note.loader)
  };
  r->root = (struct hugetext_root){
    .head = (void *) (RECORD_BASE + RECORD_AT (head)),
    .text = 1,
    .advice = (void *) (RECORD_BASE + RECORD_AT (advice))
  };
  r->head
      = (struct hugetext_record_head){ .block = 0x200000,
                                       .entries
                                       = RECORD_BASE + RECORD_AT (entries[0]),
                                       .runs = RECORD_BASE + RECORD_AT (runs),
                                       .nruns = 6 };
  memcpy (r->runs,
          (struct hugetext_record_run[]){ { 255, HUGETEXT_COLD },
                                          { 2, HUGETEXT_COLD },
                                          { 1, HUGETEXT_HUGE },
                                          { 4, HUGETEXT_OVER_CAP },
                                          { 2, HUGETEXT_OVER_CAP },
                                          { 1, HUGETEXT_HUGE } },
          sizeof r->runs);
  r->entries[0]
      = an_entry (0x40000000, 0, 3, 258, RECORD_BASE + RECORD_AT (entries[1]));
  r->entries[1]
      = an_entry (0x8000000, 3, 1, 4, RECORD_BASE + RECORD_AT (entries[2]));
  r->entries[2] = an_entry (0x10000000, 4, 2, 3, 0);
  strcpy (r->advice.program, "/a");
  return r;
}

/* The SIZE bytes of memory, in a piece of exactly this size, so that reading
   beyond it is noticed.  */
struct record_bytes
{
  const char *bytes;
  size_t size;
  uint64_t reads; /* How many bytes have been copied.  */
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

/* For each of RECORD's entries, look up its first and last block and those
   next to them.  */
static void
ask_for_blocks (const struct record *record)
{
  size_t nruns = 0;
  for (size_t i = 0; i < record->count; ++i)
    {
      const struct hugetext_entry *entry = &record->entries[i];
      const uint64_t end
          = entry->start + (uint64_t) entry->nblocks * record->block;
      nruns += entry->nruns;
      EXPECT (entry->first + (size_t) entry->nruns <= record->nruns);
      record_reason (record, entry, end - 1);
      if (end > entry->start)
        EXPECT_EQUAL (record_reason (record, entry, end), HUGETEXT_NONE);
      EXPECT_EQUAL (record_reason (record, entry, entry->start - 1),
                    HUGETEXT_NONE);
      record_find (record, entry->bias);
    }
  EXPECT (nruns <= record->nruns);
}

/* Read the record in the SIZE bytes at BYTES, and all data to which the record
   points.  Return whether there is one.  */
static bool
check_record (const char *bytes, size_t size)
{
  char *copy = malloc (size + 1);
  EXPECT (copy != NULL);
  memcpy (copy, bytes, size);
  struct record_bytes memory = { .bytes = copy, .size = size };
  const struct record_memory reader = { get_bytes, &memory, true };
  struct hugetext_record_note note;
  struct record record = { .kept = false };
  struct problem problem;
  struct settings settings;
  if (record_note (&reader, RECORD_BASE, &note)
      && !record_read (&record, &reader, RECORD_BASE, &note, &problem))
    EXPECT (!record.kept && record.entries == NULL && record.runs == NULL);
  /* Even if the list of entries is a circle, the reader reads at most this
     many bytes.  */
  EXPECT (memory.reads <= (ENTRIES_MAX + 1) * sizeof (struct hugetext_entry)
                              + HUGETEXT_PHDRS_MAX * (uint64_t) (size + 8));
  bool kept = record.kept;
  if (kept)
    {
      EXPECT (record.nruns <= HUGETEXT_RECORD_RUNS_MAX);
      ask_for_blocks (&record);
      record_settings (&record, &settings);
      if (record.indexed)
        EXPECT (strlen (settings.advice.objects)
                < sizeof settings.advice.objects);
      for (size_t key = 0; record.indexed && key < HUGETEXT_KEYS; ++key)
        EXPECT (strlen (settings.advice.source[key])
                < sizeof settings.advice.source[key]);
      record_free (&record);
    }
  free (copy);
  return kept;
}

#endif /* RECORD_CHECK_H */
