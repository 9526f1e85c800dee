/* Sampled objects: the builds of files, and the addresses of their text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A sampled process may be gone when its file is looked for; the sampled
   command, in the same mount namespace, serves as well.  */

#include "sample/sample.h"
#include "host/mapped.h"
#include "util/allocate.h"

#include <string.h>
#include <unistd.h>

/* Set the granules of OBJECT's profile by its text.  */
static const char *
set_granules (struct sampled_object *object)
{
  uint64_t low = UINT64_MAX, high = 0;
  for (size_t i = 0; i < object->head.count; ++i)
    {
      const Elf64_Phdr *phdr = &object->head.phdr[i];
      const uint64_t end = phdr->p_vaddr + phdr->p_filesz;
      if (phdr->p_type != PT_LOAD || (phdr->p_flags & PF_X) == 0
          || end <= phdr->p_vaddr)
        continue;
      low = phdr->p_vaddr < low ? phdr->p_vaddr : low;
      high = end > high ? end : high;
    }
  if (high == 0)
    return "it has no text";
  low &= -(uint64_t) PROFILE_GRANULE;
  if ((high - low) / PROFILE_GRANULE >= PROFILE_GRANULES_MAX)
    return "its text is spread over more than 4 GiB";
  object->profile.first = low;
  object->profile.count = (high - low - 1) / PROFILE_GRANULE + 1;
  return NULL;
}

/* Describe OBJECT's file, open as FD.  */
static void
describe (struct sampled_object *object, int fd)
{
  object->problem = profile_build_id (fd, object->profile.build_id);
  if (elfhead_read (fd, &object->head) != NULL)
    return;
  const char *problem = set_granules (object);
  if (object->problem == NULL)
    object->problem = problem;
  if (problem != NULL)
    elfhead_free (&object->head);
}

/* Return the object of SAMPLING whose file is MAP's.  */
static struct sampled_object *
find (const struct sampling *sampling, const struct mapping *map)
{
  for (size_t i = 0; i < sampling->nobjects; ++i)
    if (sampling->objects[i]->inode == map->inode
        && sampling->objects[i]->device == map->device)
      return sampling->objects[i];
  return NULL;
}

struct sampled_object *
sampled_object (struct sampling *sampling, pid_t pid,
                const struct mapping *map)
{
  struct sampled_object *object = find (sampling, map);
  if (object == NULL)
    {
      object = allocate (sizeof *object);
      object->device = map->device;
      object->inode = map->inode;
      object->number = sampling->nobjects;
      object->problem = "its file cannot be opened, or is not the one any more"
                        " that was sampled";
      sampling->objects = allocate_more (sampling->objects, sampling->nobjects,
                                         sizeof *sampling->objects);
      sampling->objects[sampling->nobjects++] = object;
    }
  profile_add_name (&object->profile, map->name);
  /* Try again with each process.  */
  int fd = object->head.phdr == NULL ? mapped_open (pid, map, 0) : -1;
  if (fd < 0 && object->head.phdr == NULL && sampling->child > 0)
    fd = mapped_open (sampling->child, map, 0);
  if (fd >= 0)
    {
      describe (object, fd);
      close (fd);
    }
  return object;
}

/* Return the segment of OBJECT's text that has ADDRESS, or if BY_OFFSET the
   page of the file that has it; NULL if there is none.  */
static const Elf64_Phdr *
segment (const struct sampled_object *object, uint64_t address, bool by_offset)
{
  const uint64_t page = getpagesize ();
  for (size_t i = 0; i < object->head.count; ++i)
    {
      const Elf64_Phdr *phdr = &object->head.phdr[i];
      uint64_t start = by_offset ? phdr->p_offset & -page : phdr->p_vaddr;
      uint64_t end = (by_offset ? phdr->p_offset : start) + phdr->p_filesz;
      if (phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X) != 0
          && address >= start && address < end)
        return phdr;
    }
  return NULL;
}

bool
sampled_has (const struct sampled_object *object, uint64_t address)
{
  return segment (object, address, false) != NULL;
}

bool
sampled_place (const struct sampled_object *object, uint64_t offset,
               uint64_t *address)
{
  const Elf64_Phdr *phdr = segment (object, offset, true);
  if (phdr != NULL)
    *address = phdr->p_vaddr + (offset - phdr->p_offset);
  return phdr != NULL;
}

void
sampled_count (struct sampled_object *object, uint64_t address)
{
  struct profile *profile = &object->profile;
  if (profile->weights == NULL)
    profile->weights = allocate (profile->count * sizeof *profile->weights);
  ++profile->weights[(address - profile->first) / PROFILE_GRANULE];
}
