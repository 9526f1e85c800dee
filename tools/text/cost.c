/* The memory that copies and images of text take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A copy or an image is a mapping of its own over the text, without other
   memory of the process, so that the numbers of smaps for that mapping are the
   cost of the text.  For smaps the kernel walks through all memory of the
   process, so it is read only if there is such a mapping.  */

#include "text/cost.h"
#include "object/elfobject.h"
#include "object/maps-reader.h"
#include "host/procmaps.h"
#include "trust/identity.h"
#include "util/budget.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether MAP, over text, is memory of the process's own.  */
static bool
is_copy (const struct mapping *map)
{
  return (map->inode == 0 || map->hugetlb
          || strncmp (map->name, "/memfd:", 7) == 0);
}

/* Whether OBJECT, open as FD, may look for its own path in its maps.  Its file
   is searched once, for all processes that map it.  */
static bool
reads_maps (int fd, const struct object_text *object)
{
  static struct
  {
    dev_t device;
    ino_t inode;
    bool reads;
  } * known;
  static size_t count;
  struct elf_object elf;
  for (size_t i = 0; i < count; ++i)
    if (known[i].inode == object->inode && known[i].device == object->device)
      return known[i].reads;
  if (elfobject_read (fd, &elf) != NULL)
    return false;
  bool reads = maps_reader_problem (fd, object->name, &elf.object) != NULL;
  void *more = reallocarray (known, count + 1, sizeof *known);
  if (more != NULL)
    {
      known = more;
      known[count].device = object->device;
      known[count].inode = object->inode;
      known[count++].reads = reads;
    }
  return reads;
}

/* Whether the store can have an image of OBJECT of process PID: the file
   exists, only root can have written it, and the object does not look for its
   own path.  */
static bool
may_be_stored (pid_t pid, const struct object_text *object)
{
  struct stat status;
  int fd = objtext_open (pid, object);
  if (fd < 0)
    return false;
  bool may = (fstat (fd, &status) == 0 && status.st_nlink > 0
              && identity_source_problem (fd, &status) == NULL
              && !reads_maps (fd, object));
  close (fd);
  return may;
}

/* Set COST to the cost of OBJECT, whose mappings MAPS describes in detail.  */
static void
measure (pid_t pid, const struct object_text *object,
         const struct procmaps *maps, struct cost *cost)
{
  const struct mapping *last = NULL;
  size_t pool = 0;
  for (size_t i = 0; i < object->nblocks; ++i)
    {
      const struct mapping *map
          = procmaps_find (maps, object->blocks[i].start);
      if (!object->blocks[i].copied || map == NULL || map == last
          || !map->executable)
        continue;
      last = map;
      size_t size = map->resident + map->huge_hugetlb;
      size_t part = map->part + map->huge_hugetlb;
      if (is_copy (map))
        {
          cost->copies += size;
          cost->copies_part += part;
          pool += map->huge_hugetlb;
        }
      else if (map->inode != object->inode || map->device != object->device)
        {
          cost->images += size;
          cost->images_part += part;
        }
    }
  /* Pages of the reserved pool are not counted as shareable: a user has asked
     for them.  */
  if (cost->copies > pool && may_be_stored (pid, object))
    cost->shareable = cost->copies_part - pool;
}

bool
cost_read (pid_t pid, const struct object_list *objects, struct cost each[])
{
  struct procmaps maps;
  bool any = false;
  for (size_t i = 0; i < objects->count; ++i)
    {
      each[i] = (struct cost){ 0 };
      for (size_t k = 0; k < objects->list[i].nblocks; ++k)
        any |= objects->list[i].blocks[k].copied;
    }
  if (!any)
    return true;
  if (procmaps_read (pid, &maps) < 0)
    return false;
  procmaps_details (pid, &maps);
  for (size_t i = 0; i < objects->count; ++i)
    measure (pid, &objects->list[i], &maps, &each[i]);
  procmaps_free (&maps);
  return budget_problem () == NULL;
}

void
cost_add (struct cost *sum, const struct cost *cost)
{
  sum->copies += cost->copies;
  sum->copies_part += cost->copies_part;
  sum->shareable += cost->shareable;
  sum->images += cost->images;
  sum->images_part += cost->images_part;
}
