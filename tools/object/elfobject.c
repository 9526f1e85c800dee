/* ELF objects: the description of a file that the loader's policy takes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file reads the program headers; the loader's own hugetext_describe
   interprets them.  */

#include "object/elfobject.h"
#include "object/elfhead.h"
#include "object/program.h"
#include "host/procmaps.h"
#include "util/regular.h"

#include <stdlib.h>
#include <unistd.h>

struct hugetext_geometry
elfobject_geometry (void)
{
  return (struct hugetext_geometry){ .page = getpagesize (),
                                     .block = procmaps_block () };
}

/* The facts of a file's dynamic section.  */
struct dynamic
{
  bool found, text_relocations, soname, pie;
};

/* Read the dynamic section of the file FD with HEAD.  */
static void
read_dynamic (int fd, const struct elf_head *head, struct dynamic *dynamic)
{
  Elf64_Dyn *list;
  size_t count = elfhead_dynamic (fd, head, &list);
  for (size_t i = 0; i < count; ++i)
    switch (list[i].d_tag)
      {
      case DT_TEXTREL:
        dynamic->text_relocations = true;
        break;
      case DT_FLAGS:
        if ((list[i].d_un.d_val & DF_TEXTREL) != 0)
          dynamic->text_relocations = true;
        break;
      case DT_FLAGS_1:
        dynamic->pie = (list[i].d_un.d_val & DF_1_PIE) != 0;
        break;
      case DT_SONAME:
        dynamic->soname = true;
        break;
      }
  free (list);
}

/* Describe the file FD with HEAD in OBJECT.  */
static void
describe (int fd, const struct elf_head *head, struct elf_object *object)
{
  struct dynamic dynamic = { 0 };
  bool interpreter = false;
  for (size_t i = 0; i < head->count; ++i)
    if (head->phdr[i].p_type == PT_INTERP)
      interpreter = true;
    else if (head->phdr[i].p_type == PT_DYNAMIC)
      dynamic.found = true;
  read_dynamic (fd, head, &dynamic);

  hugetext_describe (&object->object, head->phdr, head->count, getpagesize ());
  object->fixed = head->type == ET_EXEC;
  object->text_relocations = dynamic.text_relocations;
  /* Some libraries, for example libc.so.6, can be run as well.  */
  object->program = interpreter && (dynamic.pie || !dynamic.soname);
  /* A program that relocates itself (-static-pie) has a dynamic section.  */
  object->statically_linked
      = !interpreter && (object->fixed || !dynamic.found || dynamic.pie);
  object->program |= object->statically_linked;
}

const char *
elfobject_read (int fd, struct elf_object *object)
{
  struct elf_head head;
  *object = (struct elf_object){ 0 };
  const char *problem = elfhead_read (fd, &head);
  if (problem != NULL)
    return problem;
  problem = program_foreign (fd);
  if (problem == NULL && head.type != ET_EXEC && head.type != ET_DYN)
    problem = "it is neither a program nor a shared library";
  /* Describe 64-bit files only, which are the machine's own.  */
  if (problem == NULL)
    describe (fd, &head, object);
  elfhead_free (&head);
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
  int fd = regular_open (name, 0);
  if (fd < 0)
    return 0;
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
