/* "hugetext explain CORE": show which blocks the loader had made huge in a
   process that has ended.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader's record says which blocks the loader has made huge, and why the
   other blocks are not huge.  A core dump does not say which pages were huge
   at the end.  Any user may have written a core, therefore an unprivileged
   process reads the core.  The unprivileged process checks all numbers of the
   core against limits before it uses them, and limits the number of bytes that
   it reads.  The unprivileged process sends the record and the names of files
   to the command, which checks the record and the names again.  */

#include "explain/core.h"
#include "explain/reason.h"
#include "host/reader.h"
#include "object/elfhead.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/printable.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The maximum size of the note NT_FILE that hugetext reads from a core.  Notes
   that the kernel writes are much smaller than FILES_SIZE_MAX, because they
   contain at most 65,530 mappings, and 4 MiB of names in total.  */
#define FILES_SIZE_MAX (8 << 20)

struct core
{
  int fd;
  struct elf_head head; /* The core's program headers.  After sort_segments,
                           only the PT_LOAD segments are left, in the order of
                           their addresses.  */
  /* The note NT_FILE, which contains two words, three words for each mapping,
     and the names of the mapped files.  */
  uint64_t *files;
  size_t count;      /* Number of mappings.  */
  const char **name; /* Name of each mapping's file.  */
  size_t *data; /* The indices of the writable mappings in the list.  A mapping
                   that ends at a lower address than an earlier mapping of the
                   list is left out.  */
  size_t ndata;
};

static int
by_address (const void *a, const void *b)
{
  const Elf64_Phdr *x = a, *y = b;
  return x->p_vaddr < y->p_vaddr ? -1 : x->p_vaddr > y->p_vaddr;
}

/* Reduce CORE's program headers to its PT_LOAD segments, in order of
   addresses.  */
static void
sort_segments (struct core *core)
{
  size_t count = 0;
  for (size_t i = 0; i < core->head.count; ++i)
    if (core->head.phdr[i].p_type == PT_LOAD)
      core->head.phdr[count++] = core->head.phdr[i];
  core->head.count = count;
  qsort (core->head.phdr, count, sizeof *core->head.phdr, by_address);
}

/* Return the last segment of CORE that begins at or before ADDRESS, or NULL
   if none does.  */
static const Elf64_Phdr *
find_segment (const struct core *core, uint64_t address)
{
  size_t low = 0, high = core->head.count;
  while (low < high)
    {
      const size_t middle = (low + high) / 2;
      if (core->head.phdr[middle].p_vaddr <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? &core->head.phdr[low - 1] : NULL;
}

/* Copy SIZE bytes at ADDRESS of the core *CLOSURE to BUFFER.  */
static bool
explain_core_get_memory (void *closure, uint64_t address, void *buffer,
                         size_t size)
{
  const struct core *core = closure;
  char *to = buffer;
  while (size > 0)
    {
      const Elf64_Phdr *phdr = find_segment (core, address);
      if (phdr == NULL || address - phdr->p_vaddr >= phdr->p_filesz)
        return false;
      uint64_t at = address - phdr->p_vaddr, n = phdr->p_filesz - at;
      if (n > size)
        n = size;
      if (phdr->p_offset > INT64_MAX - at
          || elfhead_bytes (core->fd, to, n, phdr->p_offset + at) != n)
        return false;
      address += n;
      to += n;
      size -= n;
    }
  return true;
}

/* Parse the SIZE bytes of NT_FILE.  Return false if the bytes are
   malformed.  */
static bool
take_files (struct core *core, size_t size)
{
  const size_t words = size / sizeof *core->files;
  if (words < 2 || core->files[0] > (words - 2) / 3)
    return false;
  core->count = core->files[0];
  core->name = calloc (core->count, sizeof *core->name);
  if (core->name == NULL)
    return core->count == 0;
  char *text = (char *) (core->files + 2 + 3 * core->count);
  char *end = (char *) core->files + size;
  for (size_t i = 0; i < core->count; ++i)
    {
      size_t length = strnlen (text, end - text);
      if (text + length == end)
        return false;
      core->name[i] = text;
      printable_string (text);
      text += length + 1;
    }
  return true;
}

/* Read the list of mapped files in CORE.  CORE's program headers have already
   been read.  */
static bool
explain_core_read_files (struct core *core, struct problem *problem)
{
  uint32_t type = NT_FILE;
  core->files = malloc (FILES_SIZE_MAX);
  if (core->files == NULL)
    return problem_system (problem, ENOMEM);
  size_t size = elfhead_note (core->fd, &core->head, "CORE", &type,
                              core->files, FILES_SIZE_MAX);
  return (size <= FILES_SIZE_MAX && take_files (core, size))
         || problem_set (problem,
                         "the core file does not say which files were mapped");
}

/* Read the loader's RECORD in CORE.  */
static bool
core_record (const struct core *core, struct record *record,
             struct problem *problem)
{
  const struct record_memory memory
      = { explain_core_get_memory, (void *) core, true };
  struct hugetext_record_note note;
  for (size_t i = 0; i < core->count; ++i)
    {
      const uint64_t *mapping = core->files + 2 + 3 * i;
      if (mapping[2] == 0 && record_note (&memory, mapping[0], &note))
        return record_read (record, &memory, mapping[0], &note, problem);
    }
  return problem_set (
      problem,
      "ld-hugetext.so was not loaded in the process, or the core lacks the "
      "loader's first page (bit 4 of /proc/PID/coredump_filter)");
}

/* List the writable mappings of CORE in its member DATA.  Leave out mappings
   that do not end at a higher address than all earlier mappings, because
   core_file does a binary search in the list.  */
static void
find_data (struct core *core)
{
  uint64_t end = 0;
  core->data = allocate (core->count * sizeof *core->data);
  for (size_t i = 0; i < core->count; ++i)
    {
      const uint64_t *mapping = core->files + 2 + 3 * i;
      const Elf64_Phdr *phdr = find_segment (core, mapping[0]);
      if (mapping[1] > end && phdr != NULL && phdr->p_vaddr == mapping[0]
          && (phdr->p_flags & PF_W) != 0)
        {
          core->data[core->ndata++] = i;
          end = mapping[1];
        }
    }
}

/* Return the name of the file from which the object at address FROM was
   mapped, or NULL if it is not known.  Take the file of the first writable
   mapping that ends after FROM, because the object's text may be a copy, which
   has no file.  */
static const char *
core_file (const struct core *core, uint64_t from)
{
  size_t low = 0, high = core->ndata;
  while (low < high)
    {
      const size_t middle = (low + high) / 2;
      if (core->files[2 + 3 * core->data[middle] + 1] > from)
        high = middle;
      else
        low = middle + 1;
    }
  return low < core->ndata ? core->name[core->data[low]] : NULL;
}

/* Read RECORD, and prepare the data that core_file needs.  */
static bool
explain_core_read_record (struct core *core, struct record *record,
                          struct problem *problem)
{
  sort_segments (core);
  const bool good = core_record (core, record, problem);
  if (good && record->kept)
    find_data (core);
  return good;
}

/* Add RECORD, and the name of each entry's file, to MESSAGE.  */
static void
put_record (const struct core *core, const struct record *record,
            struct message *message)
{
  record_put (message, record);
  for (size_t i = 0; record->kept && i < record->count; ++i)
    {
      const struct hugetext_entry *entry = &record->entries[i];
      const char *file
          = core_file (core, entry->bias != 0 ? entry->bias : entry->start);
      message_put_text (message, file != NULL ? file : "?");
    }
}

bool
core_put (int fd, struct message *message)
{
  struct problem problem;
  struct core core = { .fd = fd };
  struct record record = { 0 };
  budget_begin ();
  const bool is_core
      = (elfhead_read (fd, &core.head, &problem) && core.head.type == ET_CORE);
  if (is_core)
    {
      struct problem problem = { 0 };
      const bool good = (core.head.foreign == NULL
                         || problem_set (&problem, "%s", core.head.foreign))
                        && explain_core_read_files (&core, &problem)
                        && explain_core_read_record (&core, &record, &problem);
      if (!good)
        budget_check (&problem);
      message_put_result (message, good, &problem);
      if (good)
        put_record (&core, &record, message);
    }
  budget_end ();
  return is_core;
}

/* Fill TO with the explanation of the object of RECORD's ENTRY, whose file was
   NAME.  ALL_ABOUT describes the process.  */
static void
explain_entry (char *name, const struct record *record,
               const struct hugetext_entry *entry,
               const struct reason_about *all_about,
               struct explained_object *to)
{
  const struct reason_file source = { .path = name };
  struct reason_about with_file = *all_about, *const about = &with_file;
  about->files = &source;
  about->nfiles = 1;
  *to = (struct explained_object){ .name = name,
                                   .path = allocate_text (name),
                                   .bias = entry->bias,
                                   .blocks = allocate (entry->nblocks
                                                       * sizeof *to->blocks) };
  strcpy (to->kind, "by the loader's record");
  for (size_t i = 0; i < entry->nblocks; ++i)
    {
      struct explained_block *block = &to->blocks[to->nblocks];
      block->address = entry->start + i * record->block;
      const enum hugetext_reason reason
          = record_reason (record, entry, block->address);
      block->made = hugetext_is_made (reason);
      if (block->made)
        {
          const enum hugetext_way way = hugetext_way_of (reason);
          struct reason_about this = *about;
          this.backing = hugetext_way_name (way);
          reason_set_row (block,
                          way == HUGETEXT_WAY_FILE    ? REASON_MADE_FILE
                          : way == HUGETEXT_WAY_STORE ? REASON_MADE_IMAGE
                                                      : REASON_MADE_COPY,
                          &this);
        }
      else if (reason != HUGETEXT_NONE)
        reason_of_small (entry, reason_left (entry, false, about->settings),
                         about, reason, block);
      to->nblocks += reason != HUGETEXT_NONE;
    }
}

/* The longest name of a file, in bytes.  */
#define NAME_MOST (4 * PATH_MAX)

/* Return the reason why RECORD contains no objects.  */
static enum hugetext_reason
reason_of_none (const struct record *record)
{
  return (record->root.no_gain == HUGETEXT_YES ? REASON_WAS_OFF
          : record->root.small == HUGETEXT_YES ? HUGETEXT_SMALL_PROGRAM
          : record->root.text != 0             ? REASON_NOTHING_GAINS
                                               : REASON_SWITCHED_OFF);
}

/* Fill TO with the explanation of RECORD.  MESSAGE contains the file name of
   each entry.  */
static bool
explain_core_explain_record (const struct record *record,
                             struct message *message, struct explanation *to,
                             struct problem *problem)
{
  if (!record->kept)
    return problem_set (problem, "%s", reason_words (reason_of_none (record)));
  record_settings (record, &to->settings);
  to->count = record->count;
  to->list = allocate (to->count * sizeof *to->list);
  struct reason_about about = reason_about (&to->settings, where_own ());
  about.beyond = record_beyond_cap (record);
  about.candidates = record_candidates (record);
  for (size_t i = 0; i < to->count; ++i)
    {
      char *name = message_get_new_text (message, NAME_MOST);
      printable_string (name);
      explain_entry (name, record, &record->entries[i], &about, &to->list[i]);
    }
  return true;
}

bool
core_get (struct message *message, struct explanation *to,
          struct problem *problem)
{
  struct record record = { 0 };
  *to = (struct explanation){ .source = EXPLAINED_CORE };
  if (!message_get_result (message, problem))
    return message->bad && problem_unknown (problem, READER_MAKES_NO_SENSE);
  record_get (message, &record);
  bool good = message->bad
              || explain_core_explain_record (&record, message, to, problem);
  record_free (&record);
  if (good && !message_is_done (message))
    good = problem_unknown (problem, READER_MAKES_NO_SENSE);
  return good;
}
