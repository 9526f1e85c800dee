/* The libraries, paths and interpreter that an ELF file says it needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nothing of the file is run or mapped, and any user may have written it:
   elfhead.h bounds each read.  */

#include "object/needs.h"
#include "object/elfhead.h"
#include "object/program.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A file whose dynamic section is read.  */
struct reading
{
  int fd;
  const struct elf_head *head;
  uint64_t strings; /* The address of its string table.  */
};

/* Return the string at offset AT in the table of READING, which the caller
   frees; NULL if there is no string that can be a path.  */
static char *
read_string (const struct reading *reading, uint64_t at)
{
  char text[PATH_MAX];
  return (elfhead_string (reading->fd, reading->head, reading->strings + at,
                          text, sizeof text)
              ? strdup (text)
              : NULL);
}

/* Add the need in ENTRY of READING to NEEDS.  */
static void
add_entry (struct needs *needs, const struct reading *reading,
           const Elf64_Dyn *entry)
{
  char **text = entry->d_tag == DT_SONAME    ? &needs->soname
                : entry->d_tag == DT_RPATH   ? &needs->rpath
                : entry->d_tag == DT_RUNPATH ? &needs->runpath
                                             : NULL;
  if (text != NULL)
    {
      free (*text);
      *text = read_string (reading, entry->d_un.d_val);
    }
  else if (entry->d_tag == DT_FLAGS_1)
    needs->own_folders_only = (entry->d_un.d_val & DF_1_NODEFLIB) != 0;
  else if (entry->d_tag == DT_NEEDED)
    {
      char *name = read_string (reading, entry->d_un.d_val);
      if (name != NULL)
        file_list_add (&needs->libraries, name);
      free (name);
    }
}

const char *
needs_read (int fd, struct needs *needs)
{
  struct elf_head head;
  Elf64_Dyn *list;
  struct reading reading = { .fd = fd, .head = &head };
  *needs = (struct needs){ .soname = NULL };
  const char *problem = elfhead_read (fd, &head);
  if (problem != NULL)
    return problem;
  problem = program_foreign (fd);
  if (problem == NULL)
    {
      size_t count = elfhead_dynamic (fd, &head, &list);
      for (size_t i = 0; i < count; ++i)
        if (list[i].d_tag == DT_STRTAB)
          reading.strings = list[i].d_un.d_ptr;
      for (size_t i = 0; i < count; ++i)
        add_entry (needs, &reading, &list[i]);
      free (list);
    }
  elfhead_free (&head);
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
