/* Find, in the inspector, the functions of a process whose text is a copy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The symbols come from the objects' files.  Text between two symbols, such as
   static functions in a stripped file, gets the name of the object, so that
   each address in a copy has a name.  */

#include "host/procfile.h"
#include "host/procmaps.h"
#include "perfmap/perfmap.h"
#include "text/objtext.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct symbol
{
  uint64_t start, size; /* If SIZE is 0, the symbol extends to the next
                           symbol.  After the function "divide" has been
                           called, no symbol overlaps another.  */
  char *name;
};

struct symbols
{
  struct symbol *list;
  size_t count;
};

/* Add a symbol to the list.  Return false if the budget (budget.h) does not
   suffice for this symbol.  */
static bool
add_symbol (struct symbols *symbols, uint64_t start, uint64_t size,
            const char *name)
{
  if (!budget_spend (sizeof (struct symbol) + strlen (name)))
    return false;
  symbols->list
      = allocate_more (symbols->list, symbols->count, sizeof *symbols->list);
  symbols->list[symbols->count++]
      = (struct symbol){ start, size, allocate_text (name) };
  return true;
}

static void
free_symbols (struct symbols *symbols)
{
  for (size_t i = 0; i < symbols->count; ++i)
    free (symbols->list[i].name);
  free (symbols->list);
  *symbols = (struct symbols){ NULL, 0 };
}

/* Return true if SYMBOL of the file ELF is in a section with code.  */
static bool
symbols_is_in_code (Elf *elf, const GElf_Sym *symbol)
{
  GElf_Shdr header;
  const int type = GELF_ST_TYPE (symbol->st_info);
  if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
    return false;
  Elf_Scn *scn
      = (symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE
             ? elf_getscn (elf, symbol->st_shndx)
             : NULL);
  return (scn != NULL && gelf_getshdr (scn, &header) != NULL
          && (header.sh_flags & SHF_EXECINSTR) != 0);
}

/* Return true if the section SCN is small enough to be read. libelf reads a
   section as a whole, and a small malicious file can contain a huge section by
   holes or compression.  */
static bool
can_be_read (Elf_Scn *scn)
{
  GElf_Shdr header;
  return (scn != NULL && gelf_getshdr (scn, &header) != NULL
          && (header.sh_flags & SHF_COMPRESSED) == 0
          && budget_spend (header.sh_size));
}

/* Add the symbols in the table SCN of ELF, whose names are in section number
   STRINGS.  Return false if the budget does not suffice for all symbols.  */
static bool
add_table (Elf *elf, Elf_Scn *scn, size_t strings, uintptr_t bias,
           struct symbols *symbols)
{
  GElf_Sym symbol;
  if (!can_be_read (scn) || !can_be_read (elf_getscn (elf, strings)))
    return budget_spend (0);
  Elf_Data *data = elf_getdata (scn, NULL);
  for (int i = 1; data != NULL && gelf_getsym (data, i, &symbol) != NULL; ++i)
    {
      const char *name = elf_strptr (elf, strings, symbol.st_name);
      if (!budget_spend (0))
        return false;
      if (name != NULL && name[0] != '\0' && symbols_is_in_code (elf, &symbol)
          && !add_symbol (symbols, symbol.st_value + bias, symbol.st_size,
                          name))
        return false;
    }
  return true;
}

/* Read the symbols of the file FD from .symtab or, if there is no .symtab,
   from .dynsym.  Add the load bias BIAS to the addresses of the symbols.  */
static void
read_symbols (int fd, uintptr_t bias, struct symbols *symbols)
{
  elf_version (EV_CURRENT);
  Elf *elf = elf_begin (fd, ELF_C_READ, NULL);
  GElf_Shdr header;
  const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
  bool more = true;
  for (size_t i = 0; more && i < 2 && symbols->count == 0; ++i)
    for (Elf_Scn *scn = NULL; more && (scn = elf_nextscn (elf, scn)) != NULL;)
      more = (gelf_getshdr (scn, &header) != NULL && header.sh_type == types[i]
                  ? add_table (elf, scn, header.sh_link, bias, symbols)
                  : budget_spend (0));
  elf_end (elf);
}

/* Compare two symbols for sorting: by address; at the same address, a symbol
   with a size comes first.  */
static int
symbols_compare_symbols (const void *left, const void *right)
{
  const struct symbol *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->size < b->size) - (a->size > b->size);
}

/* Sort SYMBOLS, and shorten them so that no symbol overlaps another.  After
   the call, an address that was in several symbols belongs only to the first
   of the symbols.  */
static void
divide (struct symbols *symbols)
{
  uint64_t at = 0;
  if (symbols->count == 0)
    return;
  qsort (symbols->list, symbols->count, sizeof *symbols->list,
         symbols_compare_symbols);
  for (size_t i = 0; i < symbols->count; ++i)
    {
      struct symbol *symbol = &symbols->list[i];
      uint64_t stop = symbol->start + symbol->size;
      if (symbol->size == 0 && i + 1 < symbols->count)
        stop = symbols->list[i + 1].start;
      else if (symbol->size == 0 || stop < symbol->start)
        stop = UINT64_MAX;
      if (symbol->start < at)
        symbol->start = at;
      symbol->size = stop > symbol->start ? stop - symbol->start : 0;
      at = symbol->start + symbol->size;
    }
}

/* Return the index of the first of SYMBOLS that ends above ADDRESS.  The
   symbols must not overlap.  */
static size_t
find_symbol (const struct symbols *symbols, uint64_t address)
{
  size_t low = 0, high = symbols->count;
  while (low < high)
    {
      const size_t middle = low + (high - low) / 2;
      const struct symbol *symbol = &symbols->list[middle];
      if (symbol->start + symbol->size <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Add a line with NAME for [START, END) to ANSWER, unless the range is empty.
   Shorten a name that is too long.  */
static void
symbols_put_line (struct message *answer, uint64_t start, uint64_t end,
                  const char *name)
{
  char text[PERFMAP_NAME];
  if (start >= end)
    return;
  snprintf (text, sizeof text, "%s", name);
  if (!budget_spend (3 * sizeof start + strlen (text)))
    return;
  message_put_number (answer, start);
  message_put_number (answer, end - start);
  message_put_text (answer, text);
}

/* Add lines for the addresses from START to END to ANSWER.  A line for
   addresses in one of SYMBOLS contains the name of this symbol.  A line for
   addresses between two symbols contains NAME, the name of the object.  The
   symbols must not overlap.  */
static void
put_range (const struct symbols *symbols, uint64_t start, uint64_t end,
           const char *name, struct message *answer)
{
  for (size_t i = find_symbol (symbols, start);
       i < symbols->count && symbols->list[i].start < end && budget_spend (0);
       ++i)
    {
      const struct symbol *symbol = &symbols->list[i];
      uint64_t stop = symbol->start + symbol->size;
      if (stop > end)
        stop = end;
      if (stop <= start)
        continue;
      symbols_put_line (answer, start, symbol->start, name);
      if (start < symbol->start)
        start = symbol->start;
      symbols_put_line (answer, start, stop, symbol->name);
      start = stop;
    }
  symbols_put_line (answer, start, end, name);
}

/* Add to ANSWER lines for the functions of OBJECT in process PID that are in
   copies.  */
static void
symbols_put_object (pid_t pid, const struct object_text *object,
                    struct message *answer)
{
  struct symbols symbols = { NULL, 0 };
  const char *slash = strrchr (object->name, '/');
  char name[NAME_MAX + 3];
  const int fd = objtext_open (pid, object);
  if (fd >= 0)
    {
      read_symbols (fd, object->bias, &symbols);
      close (fd);
    }
  divide (&symbols);
  snprintf (name, sizeof name, "[%s]",
            slash != NULL ? slash + 1 : object->name);
  for (size_t i = 0; i < object->nblocks; ++i)
    if (objtext_is_copy (&object->blocks[i]))
      put_range (&symbols, object->blocks[i].start,
                 object->blocks[i].start + procmaps_block (), name, answer);
  free_symbols (&symbols);
}

/* Return true if OBJECT has a copy in a memfd.  */
static bool
has_memory_files (const struct object_text *object)
{
  for (size_t i = 0; i < object->nblocks; ++i)
    if (objtext_is_copy (&object->blocks[i])
        && (object->blocks[i].backing & BACKING_MEMORY_FILE) != 0)
      return true;
  return false;
}

void
perfmap_answer (struct message *asked, struct message *answer)
{
  struct problem problem;
  struct object_list objects = { 0 };
  struct message lines = { 0 };
  bool memory_files = false;
  const pid_t pid = message_get_number (asked, INT_MAX);
  budget_begin ();
  procfile_prepare (pid);
  int error = objtext_read (pid, false, &objects) < 0 ? errno : 0;
  for (size_t i = 0; i < objects.count; ++i)
    if (objtext_has_copies (&objects.list[i]))
      {
        symbols_put_object (pid, &objects.list[i], &lines);
        memory_files |= has_memory_files (&objects.list[i]);
      }
  /* Treat an incomplete map as an error.  Readers of an incomplete map would
     assume that the process has no further copies.  */
  if (!budget_check (&problem))
    error = EDQUOT;
  message_put_number (answer, error);
  if (error == 0)
    message_put_bytes (answer, lines.data, lines.size);
  message_free (&lines);
  message_put_number (answer, 0);
  message_put_number (answer, memory_files);
  procfile_prepare (0);
  objtext_free (&objects);
  budget_end ();
}
