/* Describe an ELF file as the loader would describe it to the plan.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file's program headers are read here; what they mean is for the loader's
   own hugetext_describe.  */

#include "elfobject.h"
#include "procmaps.h"
#include "program.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

struct hugetext_geometry
elfobject_geometry (void)
{
  return (struct hugetext_geometry){ .page = getpagesize (),
                                     .block = procmaps_block () };
}

/* What the dynamic section of a file says.  */
struct dynamic
{
  bool found, text_relocations, soname, pie;
};

/* Read the dynamic section at PHDR of FD.  */
static void
read_dynamic (int fd, const GElf_Phdr *phdr, struct dynamic *dynamic)
{
  Elf64_Dyn entry;
  dynamic->found = true;
  for (GElf_Xword at = 0; at + sizeof entry <= phdr->p_filesz;
       at += sizeof entry)
    {
      if (pread (fd, &entry, sizeof entry, phdr->p_offset + at)
          != sizeof entry)
        return;
      switch (entry.d_tag)
        {
        case DT_NULL:
          return;
        case DT_TEXTREL:
          dynamic->text_relocations = true;
          break;
        case DT_FLAGS:
          if ((entry.d_un.d_val & DF_TEXTREL) != 0)
            dynamic->text_relocations = true;
          break;
        case DT_FLAGS_1:
          dynamic->pie = (entry.d_un.d_val & DF_1_PIE) != 0;
          break;
        case DT_SONAME:
          dynamic->soname = true;
          break;
        }
    }
}

/* Describe in OBJECT the file FD, of which HEADER is the beginning, by its
   COUNT program headers PHDR.  */
static void
describe (int fd, const GElf_Ehdr *header, const GElf_Phdr *phdr, size_t count,
          struct elf_object *object)
{
  struct dynamic dynamic = { 0 };
  bool interpreter = false;
  for (size_t i = 0; i < count; i++)
    if (phdr[i].p_type == PT_INTERP)
      interpreter = true;
    else if (phdr[i].p_type == PT_DYNAMIC)
      read_dynamic (fd, &phdr[i], &dynamic);

  hugetext_describe (&object->object, phdr, count, getpagesize ());
  object->fixed = header->e_type == ET_EXEC;
  object->text_relocations = dynamic.text_relocations;
  /* Some libraries, libc.so.6 above all, can be run as well.  */
  object->program = interpreter && (dynamic.pie || !dynamic.soname);
  /* A program that relocates itself (-static-pie) has a dynamic section.  */
  object->statically_linked
      = !interpreter && (object->fixed || !dynamic.found || dynamic.pie);
  object->program |= object->statically_linked;
}

/* Describe ELF, the file FD, in OBJECT.  */
static const char *
read_headers (int fd, Elf *elf, struct elf_object *object)
{
  GElf_Ehdr header;
  size_t count;

  if (elf_kind (elf) != ELF_K_ELF || gelf_getehdr (elf, &header) == NULL
      || elf_getphdrnum (elf, &count) < 0)
    return "it is not an ELF file";
  const char *foreign = program_foreign (fd);
  if (foreign != NULL)
    return foreign;
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    return "it is neither a program nor a shared library";

  /* 64 bits only: the generic form is the machine's own.  */
  GElf_Phdr *phdr = reallocarray (NULL, count + 1, sizeof *phdr);
  const char *problem = phdr == NULL ? "there is no memory" : NULL;
  for (size_t i = 0; problem == NULL && i < count; i++)
    if (gelf_getphdr (elf, i, &phdr[i]) == NULL)
      problem = "its program headers cannot be read";
  if (problem == NULL)
    describe (fd, &header, phdr, count, object);
  free (phdr);
  return problem;
}

const char *
elfobject_read (int fd, struct elf_object *object)
{
  *object = (struct elf_object){ 0 };
  elf_version (EV_CURRENT);
  Elf *elf = elf_begin (fd, ELF_C_READ, NULL);
  if (elf == NULL)
    return "it is not an ELF file";
  const char *problem = read_headers (fd, elf, object);
  elf_end (elf);
  return problem;
}

size_t
elfobject_text (const struct elf_object *object)
{
  return hugetext_object_text (&object->object);
}

size_t
elfobject_file_text (const char *name)
{
  struct elf_object elf;
  int fd = open (name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return 0;
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  size_t text = elfobject_read (fd, &elf) == NULL ? elfobject_text (&elf) : 0;
  close (fd);
  return text;
}

const char *
elfobject_problem (const struct elf_object *object)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  if (hugetext_geometry (geo.page).block == 0)
    return "this machine's huge pages are too large for text";
  const char *problem = hugetext_object_check (&object->object, &geo);
  if (problem != NULL)
    return problem;
  if (object->text_relocations)
    return "it has text relocations";
  return NULL;
}
