/* Core files: the memory of an ended process, and the files that it had
   mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/core.h"
#include "dl-hugetext-object.h"
#include "object/elfhead.h"
#include "util/printable.h"

#include <stdlib.h>
#include <string.h>

/* Limits far above the kernel's own: 65,530 mappings, whose names are 4 MiB at
   most.  */
enum
{
  FILES_SIZE_MAX = 8 << 20,
  NOTES_SIZE_MAX = 4096 /* Bytes of the loader's notes; it has three.  */
};

struct core
{
  int fd;
  struct elf_head head;
  /* The note NT_FILE: two words, three words for each mapping, and the
     names.  */
  uint64_t *files;
  size_t count;      /* Number of mappings.  */
  const char **name; /* Name of each mapping's file.  */
};

/* Copy SIZE bytes at ADDRESS of the core *CLOSURE to BUFFER.  */
static bool
get_memory (void *closure, uint64_t address, void *buffer, size_t size)
{
  const struct core *core = closure;
  char *to = buffer;
  for (size_t i = 0; i < core->head.count && size > 0; ++i)
    {
      const Elf64_Phdr *phdr = &core->head.phdr[i];
      if (phdr->p_type != PT_LOAD || address < phdr->p_vaddr
          || address - phdr->p_vaddr >= phdr->p_filesz)
        continue;
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
  return size == 0;
}

/* Parse the SIZE bytes of NT_FILE.  False if they are wrong.  */
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

const char *
core_open (int fd, struct core **result)
{
  static const char wrong[] = "the core does not say which files were mapped";
  uint32_t type = NT_FILE;
  struct core *core = calloc (1, sizeof *core);
  if (core == NULL)
    return "no memory";
  core->fd = fd;
  const char *problem = elfhead_read (fd, &core->head);
  if (problem != NULL || core->head.type != ET_CORE)
    {
      if (problem == NULL)
        elfhead_free (&core->head);
      free (core);
      return "";
    }
  core->files = malloc (FILES_SIZE_MAX);
  if (core->files != NULL)
    {
      size_t size = elfhead_note (fd, &core->head, "CORE", &type, core->files,
                                  FILES_SIZE_MAX);
      if (size > FILES_SIZE_MAX || !take_files (core, size))
        problem = wrong;
    }
  else
    problem = "no memory";
  if (problem != NULL)
    core_close (core);
  else
    *result = core;
  return problem;
}

void
core_close (struct core *core)
{
  elfhead_free (&core->head);
  free (core->files);
  free (core->name);
  free (core);
}

size_t
core_headers (const struct core *core, uint64_t start, Elf64_Phdr phdr[],
              size_t max)
{
  Elf64_Ehdr head;
  if (!get_memory ((void *) core, start, &head, sizeof head)
      || memcmp (head.e_ident, ELFMAG, SELFMAG) != 0
      || head.e_ident[EI_CLASS] != ELFCLASS64
      || head.e_phentsize != sizeof *phdr || head.e_phnum > max
      || head.e_phoff > UINT32_MAX
      || !get_memory ((void *) core, start + head.e_phoff, phdr,
                      head.e_phnum * sizeof *phdr))
    return 0;
  return head.e_phnum;
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
          && memcmp (notes + sizeof head, HUGETEXT_RECORD_NOTE,
                     sizeof HUGETEXT_RECORD_NOTE)
                 == 0
          && head.n_descsz >= sizeof *note)
        {
          memcpy (note, notes + sizeof head + name, sizeof *note);
          return true;
        }
      notes += length;
      size -= length;
    }
  return false;
}

/* Whether an object at START has the loader's NOTE.  */
static bool
has_note (const struct core *core, uint64_t start,
          struct hugetext_record_note *note)
{
  Elf64_Phdr phdr[HUGETEXT_PHDRS_MAX];
  char notes[NOTES_SIZE_MAX];
  size_t n = core_headers (core, start, phdr, HUGETEXT_PHDRS_MAX);
  bool found = false;
  for (size_t i = 0; i < n && !found; ++i)
    found = (phdr[i].p_type == PT_NOTE && phdr[i].p_filesz <= sizeof notes
             && get_memory ((void *) core, start + phdr[i].p_vaddr, notes,
                            phdr[i].p_filesz)
             && find_note (notes, phdr[i].p_filesz, note));
  return found;
}

const char *
core_record (const struct core *core, struct loader_record *record)
{
  const struct record_memory memory = { get_memory, (void *) core, true };
  struct hugetext_record_note note;
  for (size_t i = 0; i < core->count; ++i)
    {
      const uint64_t *mapping = core->files + 2 + 3 * i;
      if (mapping[2] == 0 && has_note (core, mapping[0], &note))
        return loader_record_read (record, &memory, mapping[0], &note);
    }
  return "ld-hugetext.so was not in it, or the core does not have its first"
         " page (bit 4 of /proc/PID/coredump_filter)";
}

/* Whether CORE has a writable segment from START on.  */
static bool
is_writable (const struct core *core, uint64_t start)
{
  for (size_t i = 0; i < core->head.count; ++i)
    if (core->head.phdr[i].p_type == PT_LOAD
        && core->head.phdr[i].p_vaddr == start)
      return (core->head.phdr[i].p_flags & PF_W) != 0;
  return false;
}

const char *
core_file (const struct core *core, uint64_t from)
{
  for (size_t i = 0; i < core->count; ++i)
    {
      const uint64_t *mapping = core->files + 2 + 3 * i;
      if (mapping[1] > from && is_writable (core, mapping[0]))
        return core->name[i];
    }
  return NULL;
}
