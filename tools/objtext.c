/* Account for the text of each object in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Text on huge pages may be anonymous memory, so it cannot be found by name
   in the process's mappings.  But some segment of each object, its data at
   least, is still mapped from the file.  A mapping of file offset O at address
   A, where the program headers say that O belongs at V, means a load bias of
   A - V: for example 0x7f00003fe000 for offset 0x1fd000 of a segment with
   p_offset 0x1fd000, p_vaddr 0x1fe000 gives the bias 0x7f0000200000.  A page
   of the file that two segments share gives two biases; the right one explains
   the other mappings too.  */

#include "objtext.h"
#include "procmaps.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The loadable segments of one file.  */
struct segments
{
  GElf_Phdr *list;
  size_t count;
};

/* Open the file that MAP of process PID shows, as the process sees it.  */
static int
open_mapped (pid_t pid, const struct mapping *map)
{
  char path[4096];
  snprintf (path, sizeof path, "/proc/%d/root%s", (int)pid, map->name);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    return fd;
  /* Deleted or replaced; only the privileged can open these.  */
  snprintf (path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)pid,
            (unsigned long)map->start, (unsigned long)map->end);
  return open (path, O_RDONLY | O_CLOEXEC);
}

/* Read the PT_LOAD headers of the ELF file FD.  No segments is no error: the
   file is no object.  */
static struct segments
read_segments (int fd)
{
  struct segments segments = { 0 };
  size_t count;

  elf_version (EV_CURRENT);
  Elf *elf = elf_begin (fd, ELF_C_READ, NULL);
  if (elf == NULL)
    return segments;
  if (elf_kind (elf) == ELF_K_ELF && elf_getphdrnum (elf, &count) == 0)
    segments.list = calloc (count, sizeof *segments.list);
  if (segments.list != NULL)
    for (size_t i = 0; i < count; i++)
      {
        GElf_Phdr *phdr = &segments.list[segments.count];
        if (gelf_getphdr (elf, i, phdr) != NULL && phdr->p_type == PT_LOAD)
          segments.count++;
      }
  elf_end (elf);
  return segments;
}

static bool
is_text (const GElf_Phdr *phdr)
{
  return (phdr->p_flags & PF_X) != 0 && (phdr->p_flags & PF_W) == 0;
}

/* If MAP can be a mapping of the segment PHDR, by file offset, set *BIAS.  */
static bool
bias_from (const struct mapping *map, const GElf_Phdr *phdr, uintptr_t *bias)
{
  const uintptr_t page = getpagesize ();
  uint64_t first = phdr->p_offset & -page;
  if (phdr->p_filesz == 0 || map->offset < first
      || map->offset >= phdr->p_offset + phdr->p_filesz)
    return false;
  *bias = map->start - ((phdr->p_vaddr & -page) + (map->offset - first));
  return true;
}

/* Whether the text of SEGMENTS at BIAS is executable in MAPS.  A file that
   was only read through mmap has no such place.  */
static bool
text_is_mapped (const struct procmaps *maps, const struct segments *segments,
                uintptr_t bias)
{
  bool found = false;
  for (size_t i = 0; i < segments->count; i++)
    if (is_text (&segments->list[i]))
      {
        uintptr_t start = bias + segments->list[i].p_vaddr;
        const struct mapping *first = procmaps_find (maps, start);
        const struct mapping *last
            = procmaps_find (maps, start + segments->list[i].p_memsz - 1);
        if (first == NULL || last == NULL || !first->executable
            || !last->executable)
          return false;
        found = true;
      }
  return found;
}

/* How many mappings of the file of SAMPLE lie where SEGMENTS at BIAS say.  */
static unsigned int
count_votes (const struct procmaps *maps, const struct mapping *sample,
             const struct segments *segments, uintptr_t bias)
{
  unsigned int votes = 0;
  for (size_t i = 0; i < maps->count; i++)
    {
      const struct mapping *map = &maps->list[i];
      if (map->inode != sample->inode || map->device != sample->device)
        continue;
      for (size_t j = 0; j < segments->count; j++)
        {
          uintptr_t other;
          if (bias_from (map, &segments->list[j], &other) && other == bias)
            {
              votes++;
              break;
            }
        }
    }
  return votes;
}

/* Enter OBJECT, whose name is copied.  Of two places for the same addresses
   the one that explains more mappings stays.  */
static bool
add_object (struct object_list *objects, const struct object_text *object)
{
  for (size_t i = 0; i < objects->count; i++)
    {
      struct object_text *other = &objects->list[i];
      if (other->end <= object->start || other->start >= object->end)
        continue;
      if (other->votes >= object->votes)
        return true;
      free (other->name);
      *other = objects->list[--objects->count];
      i--;
    }

  struct object_text *list
      = reallocarray (objects->list, objects->count + 1, sizeof *list);
  if (list == NULL)
    return false;
  objects->list = list;
  objects->list[objects->count] = *object;
  objects->list[objects->count].name = strdup (object->name);
  return objects->list[objects->count++].name != NULL;
}

/* Enter every place at which the file of MAP, with SEGMENTS, is loaded as far
   as MAP tells.  */
static bool
add_places (const struct procmaps *maps, const struct mapping *map,
            const struct segments *segments, struct object_list *objects)
{
  for (size_t i = 0; i < segments->count; i++)
    {
      struct object_text object = { .name = map->name };
      if (!bias_from (map, &segments->list[i], &object.bias)
          || !text_is_mapped (maps, segments, object.bias))
        continue;
      const GElf_Phdr *first = &segments->list[0];
      const GElf_Phdr *last = &segments->list[segments->count - 1];
      object.start = object.bias + first->p_vaddr;
      object.end = object.bias + last->p_vaddr + last->p_memsz;
      object.votes = count_votes (maps, map, segments, object.bias);
      if (!add_object (objects, &object))
        return false;
    }
  return true;
}

/* What backs the huge pages of [START, END) according to MAPS.  */
static unsigned int
backing_of (const struct procmaps *maps, uintptr_t start, uintptr_t end)
{
  unsigned int backing = 0;
  for (size_t i = 0; i < maps->count; i++)
    {
      const struct mapping *map = &maps->list[i];
      if (map->end <= start || map->start >= end)
        continue;
      backing |= (map->huge_file > 0 ? BACKING_FILE : 0)
                 | (map->huge_anonymous > 0 ? BACKING_THP : 0)
                 | (map->huge_hugetlb > 0 ? BACKING_HUGETLB : 0);
    }
  return backing;
}

/* Fill in the sizes of OBJECT, whose program headers are SEGMENTS.  */
static void
measure (pid_t pid, const struct procmaps *maps,
         const struct segments *segments, struct object_text *object)
{
  for (size_t i = 0; i < segments->count; i++)
    if (is_text (&segments->list[i]))
      {
        uintptr_t start = object->bias + segments->list[i].p_vaddr;
        uintptr_t end = start + segments->list[i].p_memsz;
        size_t huge = procmaps_huge (pid, maps, start, end);
        object->text += end - start;
        object->huge += huge;
        if (huge > 0)
          object->backing |= backing_of (maps, start, end);
      }
}

/* Whether an earlier mapping in MAPS is of the same file as number INDEX.  */
static bool
seen_before (const struct procmaps *maps, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (maps->list[i].inode == maps->list[index].inode
        && maps->list[i].device == maps->list[index].device)
      return true;
  return false;
}

/* Enter all places of the file of mapping INDEX in MAPS, measured.  */
static bool
add_file (pid_t pid, const struct procmaps *maps, size_t index,
          struct object_list *objects)
{
  const struct mapping *file = &maps->list[index];
  int fd = open_mapped (pid, file);
  if (fd < 0)
    return true;
  struct segments segments = read_segments (fd);
  close (fd);

  bool good = true;
  struct object_list places = { 0 };
  for (size_t i = index; good && i < maps->count; i++)
    if (maps->list[i].inode == file->inode
        && maps->list[i].device == file->device)
      good = add_places (maps, &maps->list[i], &segments, &places);
  for (size_t i = 0; i < places.count; i++)
    {
      measure (pid, maps, &segments, &places.list[i]);
      good = good && add_object (objects, &places.list[i]);
    }
  objtext_free (&places);
  free (segments.list);
  return good;
}

static int
by_text (const void *a, const void *b)
{
  const struct object_text *x = a, *y = b;
  if (x->text != y->text)
    return x->text < y->text ? 1 : -1;
  return strcmp (x->name, y->name);
}

int
objtext_read (pid_t pid, struct object_list *objects)
{
  struct procmaps maps;
  *objects = (struct object_list){ 0 };
  if (procmaps_read (pid, &maps) < 0)
    return -1;

  bool good = true;
  for (size_t i = 0; good && i < maps.count; i++)
    if (maps.list[i].name[0] == '/' && !seen_before (&maps, i))
      good = add_file (pid, &maps, i, objects);
  procmaps_free (&maps);
  if (!good)
    {
      objtext_free (objects);
      errno = ENOMEM;
      return -1;
    }
  if (objects->count > 0)
    qsort (objects->list, objects->count, sizeof *objects->list, by_text);
  return 0;
}

void
objtext_free (struct object_list *objects)
{
  for (size_t i = 0; i < objects->count; i++)
    free (objects->list[i].name);
  free (objects->list);
  *objects = (struct object_list){ 0 };
}
