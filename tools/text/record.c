/* The record of ld-hugetext.so, read from the memory of a process or a core.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/record.h"
#include "dl-hugetext-object.h"
#include "util/budget.h"
#include "util/regular.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Limits above any loader's records.  */
enum
{
  ENTRY_SIZE_MAX = 4096,
  ENTRIES_MAX = 256, /* In a chunk.  */
  CHUNKS_MAX = 1024,
  TRIES = 100,           /* Number of pauses while the loader changes the
                            record.  */
  PAUSE = 10000000,      /* ns */
  NOTES_SIZE_MAX = 4096, /* Bytes of the loader's notes; it has three.  */
};

static bool
get (const struct record_memory *memory, uint64_t address, void *buffer,
     size_t size)
{
  return (address <= INT64_MAX
          && memory->get (memory->closure, address, buffer, size));
}

/* Find the loader's NOTE among SIZE bytes of notes.  */
static bool
find_note (const char *notes, size_t size, struct hugetext_record_note *note)
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
  if (!get (memory, start, &head, sizeof head)
      || memcmp (head.e_ident, ELFMAG, SELFMAG) != 0
      || head.e_ident[EI_CLASS] != ELFCLASS64
      || head.e_phentsize != sizeof *phdr || head.e_phnum > HUGETEXT_PHDRS_MAX
      || head.e_phoff > UINT32_MAX
      || !get (memory, start + head.e_phoff, phdr,
               head.e_phnum * sizeof *phdr))
    return false;
  for (size_t i = 0; i < head.e_phnum && !found; ++i)
    found = (phdr[i].p_type == PT_NOTE && phdr[i].p_filesz <= sizeof notes
             && get (memory, start + phdr[i].p_vaddr, notes, phdr[i].p_filesz)
             && find_note (notes, phdr[i].p_filesz, note));
  return found;
}

/* Return why a record of VERSION cannot be read.  */
static const char *
wrong_version (int32_t version)
{
  static char text[128];
  snprintf (text, sizeof text,
            "its ld-hugetext.so is %s than this command (record %d, not %d)%s",
            version > HUGETEXT_RECORD_VERSION ? "newer" : "older",
            (int) version, HUGETEXT_RECORD_VERSION,
            version > HUGETEXT_RECORD_VERSION ? "" : ": restart it");
  return text;
}

/* Whether the numbers of HEAD are possible.  */
static bool
is_sane (const struct hugetext_record_head *head)
{
  return (head->version == HUGETEXT_RECORD_VERSION
          && head->size == sizeof *head && head->block > 0
          && (head->block & (head->block - 1)) == 0
          && head->entry_size >= sizeof (struct hugetext_entry)
          && head->entry_size <= ENTRY_SIZE_MAX
          && head->nfates <= HUGETEXT_RECORD_BLOCKS);
}

/* Add N entries, of SIZE bytes each, at ADDRESS of MEMORY to RECORD.  */
static bool
add_entries (struct record *record, const struct record_memory *memory,
             uint64_t address, size_t n, size_t size)
{
  if (n == 0)
    return true;
  struct hugetext_entry *entries
      = reallocarray (record->entries, record->count + n, sizeof *entries);
  char *bytes = calloc (n, size);
  if (entries != NULL)
    record->entries = entries;
  bool good = (entries != NULL && bytes != NULL
               && get (memory, address, bytes, n * size));
  for (size_t i = 0; good && i < n; ++i)
    {
      struct hugetext_entry *entry = &entries[record->count];
      memcpy (entry, bytes + i * size, sizeof *entry);
      record->count
          += (entry->used != 0
              && entry->first + entry->nblocks <= record->head.nfates);
    }
  free (bytes);
  return good;
}

/* Read RECORD, whose head is at ADDRESS.  */
static bool
read_once (struct record *record, const struct record_memory *memory,
           uint64_t address)
{
  struct hugetext_record_head *head = &record->head;
  record->count = 0;
  if (!get (memory, address, head, sizeof *head) || !is_sane (head))
    return false;
  uint64_t at = head->chunks;
  for (size_t i = 0; at != 0 && i < CHUNKS_MAX; ++i)
    {
      struct hugetext_chunk chunk;
      if (!get (memory, at, &chunk, sizeof chunk) || chunk.n > ENTRIES_MAX
          || !add_entries (record, memory, at + sizeof chunk, chunk.n,
                           head->entry_size))
        return false;
      at = chunk.next;
    }
  struct hugetext_advice *advice = &record->advice;
  record->indexed = (head->advice != 0
                     && get (memory, head->advice, advice, sizeof *advice));
  if (record->indexed)
    {
      advice->objects[sizeof advice->objects - 1] = '\0';
      for (size_t i = 0; i < HUGETEXT_KEYS; ++i)
        advice->source[i][sizeof advice->source[i] - 1] = '\0';
    }
  return true;
}

/* Read RECORD, whose head is at ADDRESS, between two changes.  */
static const char *
read_whole (struct record *record, const struct record_memory *memory,
            uint64_t address)
{
  const struct timespec pause = { .tv_nsec = PAUSE };
  uint32_t sequence;
  for (size_t i = 0; i < (memory->still ? 1 : TRIES); ++i)
    {
      if (!read_once (record, memory, address)
          || !get (memory,
                   address + offsetof (struct hugetext_record_head, sequence),
                   &sequence, sizeof sequence))
        return "the record of its ld-hugetext.so cannot be read";
      if (sequence == record->head.sequence && sequence % 2 == 0)
        return NULL;
      nanosleep (&pause, NULL);
    }
  return "its ld-hugetext.so is at work on its text just now";
}

/* Read RECORD by NOTE of a loader whose ELF header is at START.  */
static const char *
read_by (struct record *record, const struct record_memory *memory,
         uint64_t start, const struct hugetext_record_note *note)
{
  const size_t root_at = offsetof (struct hugetext_record_note, root);
  const size_t loader_at = offsetof (struct hugetext_record_note, loader);
  /* The address of the note's descriptor, which knows its distance from the
     loader's ELF header.  */
  const uint64_t at = start - loader_at - (int64_t) note->loader;
  struct hugetext_root root;
  if (!get (memory, at + root_at + (int64_t) note->root, &root, sizeof root))
    return "the record of its ld-hugetext.so cannot be read";
  record->text = root.text != 0;
  record->index_error = root.index_error;
  record->image_error = root.image_error;
  record->no_gain = root.no_gain == HUGETEXT_YES;
  record->kept = root.head != NULL;
  return (record->kept ? read_whole (record, memory, (uintptr_t) root.head)
                       : NULL);
}

const char *
record_read (struct record *record, const struct record_memory *memory,
             uint64_t start, const struct hugetext_record_note *note)
{
  *record = (struct record){ 0 };
  const char *problem = (note->version != HUGETEXT_RECORD_VERSION
                             ? wrong_version (note->version)
                             : read_by (record, memory, start, note));
  if (problem != NULL)
    {
      record_free (record);
      record->kept = false;
    }
  return problem;
}

/* Read the file, or the process's memory, whose descriptor is *CLOSURE.  */
static bool
get_by_file (void *closure, uint64_t address, void *buffer, size_t size)
{
  const int *fd = closure;
  return (budget_spend (size)
          && pread (*fd, buffer, size, address) == (ssize_t) size);
}

const char *
record_unknown (const char *path)
{
  struct hugetext_record_note note;
  int fd = regular_open (path, 0);
  const struct record_memory file = { get_by_file, &fd, true };
  bool good = (fd >= 0 && record_note (&file, 0, &note)
               && note.version == HUGETEXT_RECORD_VERSION);
  if (fd >= 0)
    close (fd);
  return (good ? NULL
               : "ld-hugetext.so is of another build than this command, and"
                 " keeps another record, or none");
}

const char *
record_of_process (pid_t pid, const struct object_list *objects,
                   struct record *record)
{
  struct hugetext_record_note note;
  char path[64];
  const char *problem = "its ld-hugetext.so is of an older build, which keeps"
                        " no record: restart it";
  *record = (struct record){ 0 };
  snprintf (path, sizeof path, "/proc/%d/mem", (int) pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return (errno == EACCES || errno == EPERM
                ? "the record of its ld-hugetext.so may not be read"
                  " (kernel.yama.ptrace_scope; root may)"
                : "the record of its ld-hugetext.so cannot be read");
  const struct record_memory memory = { get_by_file, &fd, false };
  for (size_t i = 0; i < objects->count; ++i)
    if (record_note (&memory, objects->list[i].bias, &note))
      {
        problem = record_read (record, &memory, objects->list[i].bias, &note);
        break;
      }
  close (fd);
  return problem;
}

void
record_free (struct record *record)
{
  free (record->entries);
  record->entries = NULL;
  record->count = 0;
}

const struct hugetext_entry *
record_find (const struct record *record, uintptr_t bias)
{
  for (size_t i = 0; record->kept && i < record->count; ++i)
    if (record->entries[i].populated != 0 && record->entries[i].bias == bias)
      return &record->entries[i];
  return NULL;
}

unsigned int
record_fate (const struct record *record, const struct hugetext_entry *entry,
             uintptr_t address)
{
  if (entry == NULL || address < entry->start)
    return HUGETEXT_FATE_NONE;
  uint64_t i = (address - entry->start) / record->head.block;
  return (i < entry->nblocks
              ? (record->head.fate[entry->first + i] & ~HUGETEXT_FATE_UNLOCKED)
              : HUGETEXT_FATE_NONE);
}

void
record_settings (const struct record *record, struct settings *settings)
{
  const struct hugetext_record_head *head = &record->head;
  *settings = (struct settings){ 0 };
  for (size_t key = 0; key < SETTINGS; ++key)
    {
      settings->given[key] = (head->from_tunable >> key & 1) != 0;
      if (settings->given[key])
        settings->value[key] = head->value[key];
    }
  if (!record->indexed)
    return;
  settings->advice = record->advice;
  memcpy (settings->advice.value, head->value, sizeof head->value);
  settings->advice.given = head->from_index & ~head->from_tunable;
}
