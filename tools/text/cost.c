/* The memory that copies and images of text take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A copy or an image is a mapping of its own over the text, without other
   memory of the process, so that the numbers of smaps for that mapping are the
   cost of the text.  For smaps the kernel walks through all memory of the
   process, so it is read only if there is such a mapping.  */

#include "text/cost.h"
#include "host/procmaps.h"
#include "util/budget.h"

/* Add to COST that of OBJECT, whose mappings MAPS describes in detail.  */
static void
measure (const struct object_text *object, const struct procmaps *maps,
         struct cost *cost)
{
  const struct mapping *last = NULL;
  for (size_t i = 0; i < object->nblocks; ++i)
    {
      const struct mapping *map
          = procmaps_find (maps, object->blocks[i].start);
      if (!object->blocks[i].copied || map == NULL || map == last
          || !map->executable)
        continue;
      last = map;
      size_t part = map->part + map->huge_hugetlb;
      if (map->inode == 0 || mapping_is_memory (map))
        cost->copies += part;
      else if (map->inode != object->inode || map->device != object->device)
        cost->images += part;
    }
}

bool
cost_read (pid_t pid, const struct object_list *objects, struct cost *cost)
{
  struct procmaps maps;
  bool any = false;
  *cost = (struct cost){ 0 };
  for (size_t i = 0; i < objects->count; ++i)
    for (size_t k = 0; k < objects->list[i].nblocks; ++k)
      any |= objects->list[i].blocks[k].copied;
  if (!any)
    return true;
  if (procmaps_read (pid, &maps) < 0)
    return false;
  procmaps_details (pid, &maps);
  for (size_t i = 0; i < objects->count; ++i)
    measure (&objects->list[i], &maps, cost);
  procmaps_free (&maps);
  return budget_problem () == NULL;
}

void
cost_add (struct cost *sum, const struct cost *cost)
{
  sum->copies += cost->copies;
  sum->images += cost->images;
}
