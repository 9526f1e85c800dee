/* The record of ld-hugetext.so, read from the memory of a process or a core.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/record.h"
#include "dl-hugetext-object.h"
#include "host/procfile.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/printable.h"
#include "util/regular.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The limits for records; no loader writes a record that exceeds the
   limits.  */
enum
{
  ENTRIES_MAX = 4096,
  /* The maximum number of blocks with a reason in all entries together: 128
     GiB of text in blocks of 2 MiB.  Any user may have written the record, so
     BLOCKS_MAX also limits how much memory the command uses for a record.
     Blocks without text have no reason, and are not counted.  */
  BLOCKS_MAX = 65536,
  TRIES = 100,           /* The maximum number of times to wait while the
                            loader is changing the record.  */
  PAUSE = 10000000,      /* The duration of each wait for the loader, in
                            nanoseconds.  */
  NOTES_SIZE_MAX = 4096, /* The maximum size in bytes of the loader's ELF
                            notes.  (The loader has three ELF notes.)  */
};

static const char unreadable[]
    = "the record of the process's ld-hugetext.so cannot be read";

static bool
text_record_read_memory (const struct record_memory *memory, uint64_t address,
                         void *buffer, size_t size)
{
  return (address <= INT64_MAX
          && memory->get (memory->closure, address, buffer, size));
}

void
record_end_texts (struct hugetext_advice *advice)
{
  advice->program[sizeof advice->program - 1] = '\0';
  advice->objects[sizeof advice->objects - 1] = '\0';
  printable_string (advice->program);
  printable_string (advice->objects);
  for (size_t i = 0; i < HUGETEXT_KEYS; ++i)
    {
      advice->source[i][sizeof advice->source[i] - 1] = '\0';
      printable_string (advice->source[i]);
    }
}

/* Search the SIZE bytes of ELF notes at NOTES for ld-hugetext's note about its
   record, and copy this note to NOTE.  */
static bool
text_record_find_note (const char *notes, size_t size,
                       struct hugetext_record_note *note)
{
  Elf64_Nhdr head;
  while (size > sizeof head)
    {
      memcpy (&head, notes, sizeof head);
      uint64_t name = (head.n_namesz + 3ULL) & -4ULL;
      uint64_t length = sizeof head + name + ((head.n_descsz + 3ULL) & -4ULL);
      if (length > size)
        return false;
      if (head.n_type == HUGETEXT_RECORD_NOTE_TYPE
          && head.n_namesz == sizeof HUGETEXT_RECORD_NOTE
          && head.n_descsz >= sizeof *note
          && memcmp (notes + sizeof head, HUGETEXT_RECORD_NOTE, head.n_namesz)
                 == 0)
        {
          memcpy (note, notes + sizeof head + name, sizeof *note);
          return true;
        }
      notes += length;
      size -= length;
    }
  return false;
}

bool
record_note (const struct record_memory *memory, uint64_t start,
             struct hugetext_record_note *note)
{
  Elf64_Ehdr head;
  Elf64_Phdr phdr[HUGETEXT_PHDRS_MAX];
  char notes[NOTES_SIZE_MAX];
  bool found = false;
  if (!text_record_read_memory (memory, start, &head, sizeof head)
      || memcmp (head.e_ident, ELFMAG, SELFMAG) != 0
      || head.e_ident[EI_CLASS] != ELFCLASS64
      || head.e_phentsize != sizeof *phdr || head.e_phnum > HUGETEXT_PHDRS_MAX
      || head.e_phoff > UINT32_MAX
      || !text_record_read_memory (memory, start + head.e_phoff, phdr,
                                   head.e_phnum * sizeof *phdr))
    return false;
  for (size_t i = 0; i < head.e_phnum && !found; ++i)
    found = (phdr[i].p_type == PT_NOTE && phdr[i].p_filesz <= sizeof notes
             && text_record_read_memory (memory, start + phdr[i].p_vaddr,
                                         notes, phdr[i].p_filesz)
             && text_record_find_note (notes, phdr[i].p_filesz, note));
  return found;
}

/* Return true if a record of VERSION can be read.  */
static bool
is_our_version (int32_t version, struct problem *problem)
{
  const bool newer = version > HUGETEXT_RECORD_VERSION;
  return version == HUGETEXT_RECORD_VERSION
         || problem_set (
             problem,
             "the ld-hugetext.so of the process is %s than this command (its "
             "record has version %d, this command reads version %d)%s",
             newer ? "newer" : "older", (int) version, HUGETEXT_RECORD_VERSION,
             newer ? "" : ": restart the process");
}

/* Return true if BLOCK is a possible block size, and NRUNS a possible number
   of runs, in a record.  A run is a sequence of blocks with the same
   reason.  */
static bool
is_sane (uint64_t block, uint64_t nruns)
{
  return (block > 0 && (block & (block - 1)) == 0
          && nruns <= HUGETEXT_RECORD_RUNS_MAX);
}

/* Return true if RECORD contains all runs of ENTRY, and the runs together have
   as many blocks as ENTRY.  LEFT is the number of runs in RECORD that do not
   belong to earlier entries.  ENTRY may have at most LEFT runs.  All entries
   together therefore have at most as many runs as RECORD contains, which
   limits the time of a search.  ENTRY and the later entries may together
   contain at most *BLOCKS blocks with a reason; subtract from *BLOCKS the
   blocks of ENTRY with a reason.  */
static bool
is_entry_sane (const struct record *record, const struct hugetext_entry *entry,
               size_t left, size_t *blocks)
{
  size_t nblocks = 0, reasons = 0;
  if (entry->nruns > left
      || entry->first + (size_t) entry->nruns > record->nruns)
    return false;
  for (size_t i = 0; i < entry->nruns; ++i)
    {
      const struct hugetext_record_run *run = &record->runs[entry->first + i];
      nblocks += run->nblocks;
      reasons += run->code != HUGETEXT_NONE ? run->nblocks : 0;
    }
  if (entry->nblocks != nblocks || reasons > *blocks)
    return false;
  *blocks -= reasons;
  return true;
}

/* Read the entries at ADDRESS of MEMORY, and add them to RECORD.  */
static bool
add_entries (struct record *record, const struct record_memory *memory,
             uint64_t address)
{
  size_t left = record->nruns, blocks = BLOCKS_MAX;
  for (size_t i = 0; address != 0; ++i)
    {
      struct hugetext_entry entry;
      if (i == ENTRIES_MAX
          || !text_record_read_memory (memory, address, &entry, sizeof entry))
        return false;
      record->entries
          = allocate_more (record->entries, record->count, sizeof entry);
      if (is_entry_sane (record, &entry, left, &blocks))
        {
          record->entries[record->count++] = entry;
          left -= entry.nruns;
        }
      address = entry.next;
    }
  return true;
}

/* Read the runs of RECORD, which are at ADDRESS of MEMORY.  */
static bool
read_runs (struct record *record, const struct record_memory *memory,
           uint64_t address)
{
  const size_t size = record->nruns * sizeof *record->runs;
  free (record->runs);
  record->runs = allocate (size);
  return text_record_read_memory (memory, address, record->runs, size);
}

/* Read RECORD once.  The head of the record is at ADDRESS.  Set *SEQUENCE to
   the sequence number in the head.  */
static bool
read_once (struct record *record, const struct record_memory *memory,
           uint64_t address, uint32_t *sequence)
{
  struct hugetext_record_head head;
  record->count = 0;
  if (!text_record_read_memory (
          memory, address, &head,
          offsetof (struct hugetext_record_head, first_runs)))
    return false;
  *sequence = head.sequence;
  if (!is_sane (head.block, head.nruns))
    return false;
  record->block = head.block;
  record->nruns = head.nruns;
  return (read_runs (record, memory, head.runs)
          && add_entries (record, memory, head.entries));
}

/* If the record contains the settings that the index has for RECORD's program,
   read these settings.  */
static void
read_advice (struct record *record, const struct record_memory *memory)
{
  struct hugetext_advice *advice = &record->advice;
  const uint64_t address = (uintptr_t) record->root.advice;
  record->indexed
      = address != 0
        && text_record_read_memory (memory, address, advice, sizeof *advice);
  record_end_texts (advice);
}

/* Read RECORD, whose head is at ADDRESS.  If the loader changes the record
   during a reading, pause and read the record again, at most TRIES times in
   total.  */
static bool
text_record_read_all (struct record *record,
                      const struct record_memory *memory, uint64_t address,
                      struct problem *problem)
{
  const struct timespec pause = { .tv_nsec = PAUSE };
  uint32_t before, after;
  for (size_t i = 0; i < (memory->still ? 1 : TRIES); ++i)
    {
      if (!read_once (record, memory, address, &before)
          || !text_record_read_memory (
              memory,
              address + offsetof (struct hugetext_record_head, sequence),
              &after, sizeof after))
        return problem_set (problem, unreadable);
      if (before == after && before % 2 == 0)
        return true;
      nanosleep (&pause, NULL);
    }
  return problem_set (problem, "the process's ld-hugetext.so is changing its "
                               "record at this moment; try again");
}

/* Read the record that NOTE describes into RECORD.  NOTE is the note of a
   loader whose ELF header is at START.  */
static bool
read_by (struct record *record, const struct record_memory *memory,
         uint64_t start, const struct hugetext_record_note *note,
         struct problem *problem)
{
  const size_t root_at = offsetof (struct hugetext_record_note, root);
  const size_t loader_at = offsetof (struct hugetext_record_note, loader);
  /* The address of the note's contents.  The note itself contains the distance
     between its contents and the loader's ELF header.  */
  const uint64_t at = start - loader_at - (int64_t) note->loader;
  struct hugetext_root *root = &record->root;
  const void *before = NULL;
  /* If reading the record fails, read the record's address again, because the
     loader of a small program may have freed its record, so that the address
     leads to freed memory or to a new record.  */
  for (size_t i = 0; i < TRIES; ++i)
    {
      record->root_at = at + root_at + (int64_t) note->root;
      if (!text_record_read_memory (memory, record->root_at, root,
                                    sizeof *root))
        return problem_set (problem, unreadable);
      record->kept = root->head != NULL;
      if (!record->kept)
        return true;
      if (root->head == before)
        return false;
      read_advice (record, memory);
      if (text_record_read_all (record, memory, (uintptr_t) root->head,
                                problem))
        return true;
      before = root->head;
    }
  return false;
}

bool
record_read (struct record *record, const struct record_memory *memory,
             uint64_t start, const struct hugetext_record_note *note,
             struct problem *problem)
{
  *record = (struct record){ 0 };
  if (is_our_version (note->version, problem)
      && read_by (record, memory, start, note, problem))
    return true;
  record_free (record);
  record->kept = false;
  return false;
}

/* Copy SIZE bytes at ADDRESS of a file, which may be a process's memory, to
   BUFFER. *CLOSURE is the descriptor of the file.  */
static bool
get_by_file (void *closure, uint64_t address, void *buffer, size_t size)
{
  const int *fd = closure;
  return (budget_spend (size)
          && pread (*fd, buffer, size, address) == (ssize_t) size);
}

bool
record_known (const char *path, struct problem *problem)
{
  struct hugetext_record_note note;
  int fd = regular_open (path);
  const struct record_memory file = { get_by_file, &fd, true };
  bool good = (fd >= 0 && record_note (&file, 0, &note)
               && note.version == HUGETEXT_RECORD_VERSION);
  if (fd >= 0)
    close (fd);
  return good
         || problem_set (
             problem,
             "ld-hugetext.so and this command are of different builds, so the "
             "command cannot read the loader's record");
}

bool
record_of_process (pid_t pid, const struct object_list *objects,
                   struct record *record, struct problem *problem)
{
  struct hugetext_record_note note;
  bool found = false, good = false;
  *record = (struct record){ 0 };
  int fd = procfile_open (pid, "mem");
  if (fd < 0)
    return problem_set (
        problem, "%s",
        errno == EACCES || errno == EPERM
            ? "only root may read the loader's record in the memory of the "
              "process (kernel.yama.ptrace_scope)"
            : unreadable);
  const struct record_memory memory = { get_by_file, &fd, false };
  for (size_t i = 0; !found && i < objects->count; ++i)
    {
      const uint64_t start = objects->list[i].bias;
      found = record_note (&memory, start, &note);
      good = found && record_read (record, &memory, start, &note, problem);
    }
  close (fd);
  return found
             ? good
             : problem_set (
                 problem, "the process's ld-hugetext.so is of an older build, "
                          "which keeps no record: restart the process");
}

void
record_put (struct message *message, const struct record *record)
{
  struct hugetext_root root = record->root;
  root.head = NULL;
  root.advice = NULL;
  message_put_bytes (message, &root, sizeof root);
  message_put_number (message, record->root_at);
  message_put_number (message, record->kept);
  if (!record->kept)
    return;
  message_put_number (message, record->block);
  message_put_number (message, record->indexed);
  message_put_bytes (message, &record->advice, sizeof record->advice);
  message_put_number (message, record->nruns);
  message_put_bytes (message, record->runs,
                     record->nruns * sizeof *record->runs);
  message_put_number (message, record->count);
  message_put_bytes (message, record->entries,
                     record->count * sizeof *record->entries);
}

/* Read the elements of a list from MESSAGE.  Each element has SIZE bytes.
   Return the elements in allocated memory, and set *COUNT to the number of
   elements.  */
static void *
text_record_get_list (struct message *message, size_t size, size_t *count)
{
  *count = message_get_count (message, size);
  void *list = allocate (*count * size);
  message_get_bytes (message, list, *count * size);
  return list;
}

/* Read the runs of RECORD from MESSAGE.  */
static void
get_runs (struct message *message, struct record *record)
{
  record->runs
      = text_record_get_list (message, sizeof *record->runs, &record->nruns);
  message->bad |= !is_sane (record->block, record->nruns);
}

/* Read the entries of RECORD from MESSAGE.  */
static void
get_entries (struct message *message, struct record *record)
{
  record->entries = text_record_get_list (message, sizeof *record->entries,
                                          &record->count);
  size_t left = record->nruns, blocks = BLOCKS_MAX;
  for (size_t i = 0; i < record->count && !message->bad; ++i)
    {
      message->bad
          |= !is_entry_sane (record, &record->entries[i], left, &blocks);
      left -= record->entries[i].nruns;
    }
}

void
record_get (struct message *message, struct record *record)
{
  *record = (struct record){ 0 };
  message_get_bytes (message, &record->root, sizeof record->root);
  record->root.head = NULL;
  record->root.advice = NULL;
  record->root_at = message_get_number (message, INT64_MAX);
  record->kept = message_get_bool (message);
  if (!record->kept)
    return;
  record->block = message_get_number (message, UINT32_MAX);
  record->indexed = message_get_bool (message);
  message_get_bytes (message, &record->advice, sizeof record->advice);
  record_end_texts (&record->advice);
  get_runs (message, record);
  get_entries (message, record);
  if (!message->bad)
    return;
  record_free (record);
  record->kept = false;
}

void
record_free (struct record *record)
{
  free (record->runs);
  free (record->entries);
  record->runs = NULL;
  record->entries = NULL;
  record->nruns = record->count = 0;
}

const struct hugetext_entry *
record_find (const struct record *record, uintptr_t bias)
{
  for (size_t i = 0; record->kept && i < record->count; ++i)
    if (record->entries[i].bias == bias)
      return &record->entries[i];
  return NULL;
}

enum hugetext_reason
record_reason (const struct record *record, const struct hugetext_entry *entry,
               uintptr_t address)
{
  if (entry == NULL || address < entry->start)
    return HUGETEXT_NONE;
  uint64_t i = (address - entry->start) / record->block;
  if (i >= entry->nblocks)
    return HUGETEXT_NONE;
  const struct hugetext_record_run *run = record->runs + entry->first;
  for (size_t k = 0; k < entry->nruns; i -= run[k++].nblocks)
    if (i < run[k].nblocks)
      return run[k].code;
  return HUGETEXT_NONE;
}

bool
record_is_beyond_cap (enum hugetext_reason reason)
{
  return reason == HUGETEXT_OVER_CAP || reason == HUGETEXT_OVER_COPIES;
}

bool
record_is_kept_small (const struct record *record, enum hugetext_reason reason)
{
  return hugetext_is_kept_small (reason, record->root.value[HUGETEXT_KEY_MAX]);
}

bool
record_is_left_open (const struct record *record, enum hugetext_reason reason)
{
  return (hugetext_is_beyond_cap (reason)
          && !record_is_kept_small (record, reason));
}

size_t
record_beyond_cap (const struct record *record)
{
  size_t blocks = 0;
  for (size_t i = 0; record->kept && i < record->nruns; ++i)
    if (record_is_beyond_cap (record->runs[i].code))
      blocks += record->runs[i].nblocks;
  return blocks;
}

enum hugetext_reason
record_cap_reason (const struct record *record)
{
  enum hugetext_reason reason = HUGETEXT_NONE;
  for (size_t i = 0; record->kept && i < record->nruns; ++i)
    if (record->runs[i].code == HUGETEXT_OVER_CAP
        || (record->runs[i].code == HUGETEXT_OVER_COPIES
            && reason == HUGETEXT_NONE))
      reason = record->runs[i].code;
  return reason;
}

/* Return true if, according to REASON from a loader's record, a block is on
   small pages only because of the cap, or because a step of the loader
   failed.  */
static bool
text_record_is_missed_reason (enum hugetext_reason reason)
{
  return (record_is_beyond_cap (reason)
          || (reason > HUGETEXT_LAST_VERDICT && reason < HUGETEXT_FINDINGS));
}

/* Return true if "hugetext attach" would leave a block with REASON on small
   pages too, even without a cap.  */
static bool
is_lasting (enum hugetext_reason reason)
{
  switch (reason)
    {
    case HUGETEXT_NOT_WORTH:
    case HUGETEXT_KEEPS_NAME:
    case HUGETEXT_NEEDS_PATH:
    case HUGETEXT_TEXT_RELOCATIONS:
    case HUGETEXT_HEADERS_CHANGED:
    case HUGETEXT_BLOCKLESS:
    case HUGETEXT_NOT_AMONG:
      return true;
    default:
      return false;
    }
}

/* The loader has left a block on small pages for REASON, which is in its
   record.  Return true if "hugetext attach" may put the block on a huge
   page.  */
static bool
may_attach (enum hugetext_reason reason)
{
  return text_record_is_missed_reason (reason) && !is_lasting (reason);
}

/* Return true if all text of OBJECT except BLOCK has been copied, so that
   tools find the object only by BLOCK.  */
static bool
holds_name (const struct object_text *object, const struct text_block *block)
{
  size_t copied = 0;
  for (size_t i = 0; i < object->nblocks; ++i)
    if (object->blocks[i].text > 0 && object->blocks[i].start != block->start)
      {
        if (!object->blocks[i].copied)
          return false;
        ++copied;
      }
  return copied > 0 && !block->copied;
}

enum hugetext_reason
record_reason_now (const struct record *record,
                   const struct object_text *object,
                   const struct text_block *block, size_t used_cap)
{
  const enum hugetext_reason reason = record_reason (
      record, record_find (record, object->bias), block->start);
  if (block->huge > 0 || record->root.attach_cap == 0)
    return reason;
  if (used_cap > 0)
    return may_attach (reason) ? HUGETEXT_OVER_CAP : reason;
  /* Huge blocks have not used up attach's cap, so attach's cap is not the
     reason why the block is small.  */
  return (may_attach (reason) && holds_name (object, block)
              ? HUGETEXT_KEEPS_NAME
              : reason);
}

size_t
record_candidates (const struct record *record)
{
  size_t blocks = 0;
  for (size_t i = 0; record->kept && i < record->nruns; ++i)
    {
      const uint8_t code = record->runs[i].code;
      if (hugetext_is_made (code) || text_record_is_missed_reason (code))
        blocks += record->runs[i].nblocks;
    }
  return blocks;
}

size_t
record_made (const struct record *record)
{
  size_t blocks = 0;
  for (size_t i = 0; record->kept && i < record->nruns; ++i)
    if (hugetext_is_made (record->runs[i].code))
      blocks += record->runs[i].nblocks;
  return blocks;
}

bool
record_is_taken_back (enum hugetext_reason reason,
                      const struct text_block *block)
{
  return (
      hugetext_is_made (reason) && !block->copied
      && (hugetext_way_of (reason) != HUGETEXT_WAY_FILE || block->kept_small));
}

void
record_settings (const struct record *record, struct settings *settings)
{
  const struct hugetext_root *root = &record->root;
  *settings = (struct settings){ 0 };
  for (size_t key = 0; key < SETTINGS; ++key)
    {
      settings->given[key] = (root->from_tunable >> key & 1) != 0;
      if (settings->given[key])
        settings->value[key] = root->value[key];
    }
  if (!record->indexed)
    return;
  settings->advice = record->advice;
  memcpy (settings->advice.value, root->value, sizeof root->value);
  settings->advice.given = root->from_index & ~root->from_tunable;
}
