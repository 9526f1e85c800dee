/* Describe an ELF file as the loader would describe it to the plan.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What elf/dl-hugetext-map.c does from mapped program headers.  When the
   loader chooses a place for what it maps itself, it knows segments by whole
   pages only, afterwards to the byte; a program that the kernel has mapped is
   known to the byte from the start.  */

#include "elfobject.h"
#include "procmaps.h"

#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <unistd.h>

struct hugetext_geometry
elfobject_geometry (void)
{
  return (struct hugetext_geometry){ .page = getpagesize (),
                                     .block = procmaps_block () };
}

/* The kind of machine that FD is for, 0 if unknown.  */
static unsigned int
machine_of (int fd)
{
  /* e_machine is at the same place in all classes.  */
  unsigned char header[20];
  if (pread (fd, header, sizeof header, 0) != sizeof header)
    return 0;
  return (header[EI_CLASS] << 16) | (header[18] << 8) | header[19];
}

static bool
is_for_us (int fd)
{
  int self = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (self < 0)
    return true;
  bool same = machine_of (self) == machine_of (fd);
  close (self);
  return same;
}

static void
begin (struct hugetext_object *object, uintptr_t page)
{
  *object = (struct hugetext_object){ .align = page };
}

/* Add the segment PHDR, which the loader knows from byte DATASTART on.  */
static void
add_segment (struct hugetext_object *object, const GElf_Phdr *phdr,
             uintptr_t datastart)
{
  const uintptr_t page = getpagesize ();
  uintptr_t dataend = phdr->p_vaddr + phdr->p_filesz;
  uintptr_t allocend = phdr->p_vaddr + phdr->p_memsz;

  if (allocend == (phdr->p_vaddr & -page))
    return;
  if (object->nsegments == HUGETEXT_SEGMENTS_MAX)
    {
      /* Too many: hugetext_object_check rejects an alignment of 0.  */
      object->align = 0;
      return;
    }
  struct hugetext_segment *s = &object->segment[object->nsegments++];
  s->start = phdr->p_vaddr & -page;
  s->end = (allocend + page - 1) & -page;
  s->fileend
      = allocend > dataend ? dataend & -page : (dataend + page - 1) & -page;
  s->datastart = datastart;
  s->dataend = dataend;
  s->offset = phdr->p_offset & -page;
  s->read = (phdr->p_flags & PF_R) != 0;
  s->write = (phdr->p_flags & PF_W) != 0;
  s->exec = (phdr->p_flags & PF_X) != 0;
  if (object->align != 0 && phdr->p_align > object->align)
    object->align = phdr->p_align;
}

/* Enter RELRO, from byte START on, whole pages if ROUND.  */
static void
set_relro (struct hugetext_object *object, const GElf_Phdr *phdr, bool round)
{
  const uintptr_t page = round ? getpagesize () : 1;
  object->relro_start = phdr->p_vaddr & -page;
  object->relro_end = (phdr->p_vaddr + phdr->p_memsz + page - 1) & -page;
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

/* Describe ELF in OBJECT.  */
static const char *
read_headers (int fd, Elf *elf, struct elf_object *object)
{
  const uintptr_t page = getpagesize ();
  GElf_Ehdr header;
  size_t count;
  struct dynamic dynamic = { 0 };
  bool interpreter = false;

  if (elf_kind (elf) != ELF_K_ELF || gelf_getehdr (elf, &header) == NULL
      || elf_getphdrnum (elf, &count) < 0)
    return "it is not an ELF file";
  if (!is_for_us (fd) || gelf_getclass (elf) != ELFCLASS64)
    return "it is for another kind of machine";
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    return "it is neither a program nor a shared library";

  object->fixed = header.e_type == ET_EXEC;
  begin (&object->object, page);
  begin (&object->placing, page);
  for (size_t i = 0; i < count; i++)
    {
      GElf_Phdr phdr;
      if (gelf_getphdr (elf, i, &phdr) == NULL)
        return "its program headers cannot be read";
      switch (phdr.p_type)
        {
        case PT_LOAD:
          add_segment (&object->object, &phdr, phdr.p_vaddr);
          add_segment (&object->placing, &phdr, phdr.p_vaddr & -page);
          break;
        case PT_GNU_RELRO:
          set_relro (&object->object, &phdr, true);
          set_relro (&object->placing, &phdr, false);
          break;
        case PT_INTERP:
          interpreter = true;
          break;
        case PT_DYNAMIC:
          read_dynamic (fd, &phdr, &dynamic);
          break;
        }
    }
  object->text_relocations = dynamic.text_relocations;
  /* Some libraries, libc.so.6 above all, can be run as well.  */
  object->program = interpreter && (dynamic.pie || !dynamic.soname);
  object->statically_linked = object->fixed ? !interpreter : !dynamic.found;
  if (object->program)
    object->placing = object->object;
  return NULL;
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
  if (object->statically_linked)
    return "it is statically linked: no loader comes into play";
  return NULL;
}
