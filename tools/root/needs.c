/* What an ELF file says that it needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nothing of the file is run or mapped: its dynamic section is read with
   libelf, and its strings with pread.  The file may be anybody's, so all sizes
   are bounded before they are used.  */

#include "needs.h"
#include "program.h"

#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most program headers and dynamic entries that are looked at.  Chromium
   has 60 entries; the libraries of a program are seldom 200.  */
#define HEADERS_MAX 512
#define ENTRIES_MAX 4096

/* Where in a file its string table is.  */
struct strings
{
  int fd;
  GElf_Off offset;
  GElf_Xword size;
};

/* The string at offset AT of STRINGS, to be freed; NULL if there is none.  */
static char *
read_string (const struct strings *strings, GElf_Xword at)
{
  char text[PATH_MAX];
  if (at >= strings->size)
    return NULL;
  size_t room = strings->size - at;
  room = room < sizeof text ? room : sizeof text;
  ssize_t n = pread (strings->fd, text, room, strings->offset + at);
  return (n > 0 && memchr (text, '\0', n) != NULL ? strdup (text) : NULL);
}

/* Set TEXT to the string at offset AT of STRINGS.  */
static void
set_string (char **text, const struct strings *strings, GElf_Xword at)
{
  free (*text);
  *text = read_string (strings, at);
}

/* Add what ENTRY says to NEEDS.  */
static void
add_entry (struct needs *needs, const GElf_Dyn *entry,
           const struct strings *strings)
{
  char *name;
  switch (entry->d_tag)
    {
    case DT_NEEDED:
      name = read_string (strings, entry->d_un.d_val);
      if (name != NULL)
        file_list_add (&needs->libraries, name);
      free (name);
      break;
    case DT_SONAME:
      set_string (&needs->soname, strings, entry->d_un.d_val);
      break;
    case DT_RPATH:
      set_string (&needs->rpath, strings, entry->d_un.d_val);
      break;
    case DT_RUNPATH:
      set_string (&needs->runpath, strings, entry->d_un.d_val);
      break;
    case DT_FLAGS_1:
      needs->own_folders_only = (entry->d_un.d_val & DF_1_NODEFLIB) != 0;
      break;
    }
}

/* Set OFFSET to where in the file ELF, of COUNT program headers, ADDRESS is
   from.  */
static bool
find_offset (Elf *elf, size_t count, GElf_Addr address, GElf_Off *offset)
{
  GElf_Phdr phdr;
  for (size_t i = 0; i < count; i++)
    if (gelf_getphdr (elf, i, &phdr) != NULL && phdr.p_type == PT_LOAD
        && address >= phdr.p_vaddr && address - phdr.p_vaddr < phdr.p_filesz)
      {
        *offset = phdr.p_offset + (address - phdr.p_vaddr);
        return true;
      }
  return false;
}

/* Read the COUNT entries of DATA, from ELF of HEADERS program headers, into
   NEEDS.  */
static void
read_entries (Elf *elf, size_t headers, Elf_Data *data, size_t count,
              struct needs *needs, int fd)
{
  struct strings strings = { .fd = fd };
  GElf_Dyn entry;
  size_t end = 0;
  for (; end < count && gelf_getdyn (data, end, &entry) != NULL
         && entry.d_tag != DT_NULL; end++)
    if (entry.d_tag == DT_STRTAB
        && find_offset (elf, headers, entry.d_un.d_ptr, &strings.offset)
        && strings.size == 0)
      /* Until its size is known.  */
      strings.size = INT_MAX;
    else if (entry.d_tag == DT_STRSZ && entry.d_un.d_val < INT_MAX)
      strings.size = entry.d_un.d_val;
  for (size_t i = 0; i < end && strings.offset != 0; i++)
    if (gelf_getdyn (data, i, &entry) != NULL)
      add_entry (needs, &entry, &strings);
}

/* Read the dynamic section of ELF, the file FD, into NEEDS.  */
static const char *
read_dynamic (Elf *elf, int fd, struct needs *needs)
{
  size_t count;
  GElf_Phdr phdr;
  if (elf_kind (elf) != ELF_K_ELF || elf_getphdrnum (elf, &count) < 0
      || count > HEADERS_MAX)
    return "it is not an ELF file";
  const char *foreign = program_foreign (fd);
  if (foreign != NULL)
    return foreign;
  for (size_t i = 0; i < count; i++)
    if (gelf_getphdr (elf, i, &phdr) != NULL && phdr.p_type == PT_DYNAMIC)
      {
        size_t entries = phdr.p_filesz / sizeof (Elf64_Dyn);
        entries = entries < ENTRIES_MAX ? entries : ENTRIES_MAX;
        Elf_Data *data
            = elf_getdata_rawchunk (elf, phdr.p_offset,
                                    entries * sizeof (Elf64_Dyn), ELF_T_DYN);
        if (data == NULL)
          return "its dynamic section cannot be read";
        read_entries (elf, count, data, entries, needs, fd);
        return NULL;
      }
  return NULL;
}

const char *
needs_read (int fd, struct needs *needs)
{
  *needs = (struct needs){ .soname = NULL };
  elf_version (EV_CURRENT);
  Elf *elf = elf_begin (fd, ELF_C_READ, NULL);
  if (elf == NULL)
    return "it is not an ELF file";
  const char *problem = read_dynamic (elf, fd, needs);
  elf_end (elf);
  return problem;
}

void
needs_free (struct needs *needs)
{
  file_list_free (&needs->libraries);
  free (needs->soname);
  free (needs->rpath);
  free (needs->runpath);
}
