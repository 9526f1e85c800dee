/* Test the reader of the record.  It reads a valid record and refuses an
   invalid one, and no record can make it crash.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-record [ROUNDS [SEED]] tries ROUNDS random changes.  */

#include "record-check.h"

static char bytes[sizeof right_record];

/* Return true if the record is still accepted when the N bytes at offset AT
   are VALUE.  */
static bool
is_read_with (size_t at, uint64_t value, size_t n)
{
  memcpy (bytes, make_right_record (), sizeof bytes);
  memcpy (bytes + at, &value, n);
  return check_record (bytes, sizeof bytes);
}

/* Everything in a valid record is found.  */
static void
test_right (void)
{
  struct record_bytes memory = { .bytes = (const char *) make_right_record (),
                                 .size = sizeof right_record };
  const struct record_memory reader = { get_bytes, &memory, true };
  struct hugetext_record_note note;
  struct record record;
  EXPECT (record_note (&reader, RECORD_BASE, &note));
  struct problem problem;
  EXPECT (record_read (&record, &reader, RECORD_BASE, &note, &problem));
  EXPECT (record.kept && record.root.text != 0 && record.indexed);
  EXPECT_EQUAL (record.count, 3);
  const struct hugetext_entry *entry = record_find (&record, 0x10000000);
  EXPECT (entry != NULL);
  EXPECT_EQUAL (record_reason (&record, entry, 0x10000000 + 0x3fffff),
                HUGETEXT_OVER_CAP);
  EXPECT_EQUAL (record_reason (&record, entry, 0x10000000 + 0x400000),
                HUGETEXT_HUGE);
  entry = record_find (&record, 0x40000000);
  EXPECT (entry != NULL);
  for (size_t i = 0; i < 260; ++i)
    EXPECT_EQUAL (record_reason (&record, entry, 0x40000000 + i * 0x200000UL)
                      + 1000 * i,
                  (i < 257    ? HUGETEXT_COLD
                   : i == 257 ? HUGETEXT_HUGE
                              : HUGETEXT_NONE)
                      + 1000 * i);
  EXPECT (record_find (&record, 0x12345000) == NULL);
  record_free (&record);
  group_done ("what is right", 1);
}

/* Test numbers that no loader writes.  */
static void
test_wrong (void)
{
#define FIELD(member) RECORD_AT (member), sizeof right_record.member
  static const struct
  {
    size_t at, size;
    uint64_t value;
    bool read;
  } cases[] = {
    { FIELD (elf.e_phnum), HUGETEXT_PHDRS_MAX + 1, false },
    { FIELD (elf.e_phoff), UINT32_MAX, false },
    { FIELD (phdr.p_filesz), NOTES_SIZE_MAX + 1, false },
    { FIELD (note_head.n_namesz), UINT32_MAX, false },
    { FIELD (note_head.n_descsz), UINT32_MAX, false },
    { FIELD (entries[0].nblocks), 1000, true },
    { FIELD (entries[0].nruns), 7, true },
    { FIELD (entries[1].first), UINT16_MAX, true },
    { FIELD (note.version), HUGETEXT_RECORD_VERSION + 1, false },
    { FIELD (note.root), 0x7fffffff, false },
    { FIELD (root.head), UINT64_MAX - 8, false },
    { FIELD (root.head), RECORD_BASE + sizeof right_record - 8, false },
    { FIELD (head.sequence), 1, false },
    { FIELD (head.block), 0, false },
    { FIELD (head.block), 0x300000, false },
    { FIELD (head.entries), 0, true },
    { FIELD (head.entries), 8, false },
    { FIELD (head.runs), 8, false },
    { FIELD (head.runs), UINT64_MAX, false },
    { FIELD (head.runs), RECORD_BASE + sizeof right_record - 8, false },
    { FIELD (head.nruns), UINT64_MAX, false },
    { FIELD (head.nruns), HUGETEXT_RECORD_RUNS_MAX + 1, false },
    { FIELD (head.nruns), sizeof right_record, false },
    { FIELD (head.nruns), 5, true },
    { FIELD (head.nruns), 0, true },
    { FIELD (runs[0].nblocks), 0, true },
    { FIELD (root.advice), 8, true },
    { FIELD (entries[0].next), 0, true },
    { FIELD (entries[2].next), RECORD_BASE + RECORD_AT (entries), false },
    { FIELD (entries[2].next), UINT64_MAX, false },
  };
#undef FIELD
  size_t n = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < n; ++i)
    EXPECT_EQUAL (is_read_with (cases[i].at, cases[i].value, cases[i].size)
                      + 2 * i,
                  cases[i].read + 2 * i);
  group_done ("what is wrong", n);
}

/* Read the record in BYTES, and return the number of its entries that were
   read.  */
static size_t
count_entries (void)
{
  struct record_bytes memory = { .bytes = bytes, .size = sizeof bytes };
  const struct record_memory reader = { get_bytes, &memory, true };
  struct hugetext_record_note note;
  struct record record;
  struct problem problem;
  EXPECT (record_note (&reader, RECORD_BASE, &note));
  EXPECT (record_read (&record, &reader, RECORD_BASE, &note, &problem));
  const size_t count = record.count;
  record_free (&record);
  return count;
}

/* Test entries that have the same runs: the reader leaves out entries, so that
   a search passes each run at most once.  */
static void
test_shared (void)
{
  memcpy (bytes, make_right_record (), sizeof bytes);
  struct record_image *shared = (struct record_image *) bytes;
  for (size_t i = 0; i < 3; ++i)
    {
      shared->entries[i].first = 0;
      shared->entries[i].nruns = 6;
      shared->entries[i].nblocks = 265;
    }
  EXPECT_EQUAL (count_entries (), 1);
  group_done ("shared runs", 1);
}

/* Test entries whose runs have fewer blocks than they claim.  Otherwise a few
   bytes would describe hundreds of millions of blocks.  */
static void
test_claims (void)
{
  memcpy (bytes, make_right_record (), sizeof bytes);
  struct record_image *claims = (struct record_image *) bytes;
  EXPECT_EQUAL (count_entries (), 3);
  claims->entries[1].nblocks = UINT16_MAX;
  claims->entries[2].nruns = 0;
  EXPECT_EQUAL (count_entries (), 1);
  group_done ("blocks without runs", 1);
}

/* Test records in memory that ends at any byte.  */
static void
test_short (void)
{
  const char *right = (const char *) make_right_record ();
  for (size_t size = 0; size <= RECORD_AT (spare); ++size)
    EXPECT (check_record (right, size) == (size >= RECORD_AT (spare)));
  group_done ("memory that ends", RECORD_AT (spare));
}

static void
test_random (unsigned long int rounds, uint64_t state)
{
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      uint8_t data[64];
      size_t size = next_random (&state) % sizeof data;
      for (size_t i = 0; i < size; ++i)
        data[i] = next_random (&state) >> 32;
      /* Half of the rounds use values near limits, and change mostly the first
         part of the record, which has the numbers.  */
      for (size_t i = 2; round % 2 == 0 && i < size; ++i)
        data[i] = i % 4 == 2 ? data[i] % 2 : data[i] % 3 * 127 + data[i] % 2;
      size_t n = damage (bytes, sizeof bytes, make_right_record (),
                         RECORD_AT (spare), data, size);
      check_record (bytes, n);
    }
  group_done ("random bytes", rounds);
}

int
main (int argc, char **argv)
{
  unsigned long int rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 20000;
  uint64_t state = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  test_right ();
  test_wrong ();
  test_shared ();
  test_claims ();
  test_short ();
  test_random (rounds, state != 0 ? state : 1);
  return 0;
}
