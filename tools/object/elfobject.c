/* ELF objects: the description of a file that the loader's policy takes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file reads the program headers; the loader's own hugetext_describe
   interprets them.  */

#include "object/elfobject.h"
#include "object/elfhead.h"
#include "host/mapped.h"
#include "util/regular.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct hugetext_geometry
elfobject_geometry (void)
{
  return (struct hugetext_geometry){ .page = getpagesize (),
                                     .block = procmaps_block () };
}

const char *
elfobject_read (int fd, struct elf_object *object)
{
  struct elf_head head;
  struct elf_dynamic dynamic;
  bool interpreter = false, soname = false;
  *object = (struct elf_object){ 0 };
  const char *problem = elfhead_read (fd, &head);
  if (problem != NULL)
    return problem;
  problem = head.foreign;
  if (problem == NULL && head.type != ET_EXEC && head.type != ET_DYN)
    problem = "it is neither a program nor a shared library";
  if (problem == NULL)
    {
      for (size_t i = 0; i < head.count; ++i)
        interpreter |= head.phdr[i].p_type == PT_INTERP;
      elfhead_dynamic (fd, &head, &dynamic);
      for (size_t i = 0; i < dynamic.count; ++i)
        soname |= dynamic.list[i].d_tag == DT_SONAME;
      hugetext_describe (&object->object, head.phdr, head.count,
                         getpagesize ());
      object->fixed = head.type == ET_EXEC;
      object->text_relocations = dynamic.text_relocations;
      /* A program that relocates itself (-static-pie) has a dynamic section.
       */
      object->statically_linked
          = !interpreter && (object->fixed || !dynamic.found || dynamic.pie);
      /* Some libraries, for example libc.so.6, can be run as well.  */
      object->program = (object->statically_linked
                         || (interpreter && (dynamic.pie || !soname)));
      free (dynamic.list);
      /* The loader leaves a library where it was linked, if it was linked for
         an address.  */
      object->fixed |= (!object->program && object->object.nsegments > 0
                        && hugetext_object_start (&object->object) != 0);
    }
  elfhead_free (&head);
  return problem;
}

size_t
elfobject_file_text (const char *name)
{
  struct elf_object elf;
  int fd = regular_open (name);
  if (fd < 0)
    return 0;
  size_t text = elfobject_read (fd, &elf) == NULL
                    ? hugetext_object_text (&elf.object)
                    : 0;
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

/* Segments read around the page cache are kept: reading them takes longer than
   all other work, and processes have the same files.  */
static struct
{
  dev_t device;
  ino_t inode;
  struct segments segments;
} kept[64];
static size_t nkept;

bool
elfobject_segments (pid_t pid, const struct mapping *map, bool direct,
                    struct segments *segments)
{
  struct elf_head head;
  for (size_t i = 0; direct && i < nkept; ++i)
    if (kept[i].inode == map->inode && kept[i].device == map->device)
      {
        *segments = kept[i].segments;
        return true;
      }
  int fd = mapped_open (pid, map, direct ? O_DIRECT : 0);
  if (fd < 0)
    return false;
  *segments = (struct segments){ .count = 0 };
  if (elfhead_read (fd, &head) == NULL)
    {
      for (size_t i = 0; i < head.count; ++i)
        if (head.phdr[i].p_type == PT_LOAD)
          head.phdr[segments->count++] = head.phdr[i];
      segments->list = head.phdr;
    }
  close (fd);
  if (direct && nkept < sizeof kept / sizeof kept[0])
    {
      kept[nkept].device = map->device;
      kept[nkept].inode = map->inode;
      kept[nkept++].segments = *segments;
    }
  return true;
}

void
elfobject_free (struct segments *segments)
{
  for (size_t i = 0; i < nkept; ++i)
    if (kept[i].segments.list == segments->list)
      return;
  free (segments->list);
}
