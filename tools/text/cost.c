/* The memory that the copies and images of text use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   A copy or an image is a separate mapping that replaces the mapping of the
   text, and contains nothing else.  The cost of a copy or image is therefore
   the memory that smaps reports for its mapping.  The command reads smaps only
   if the process has a copy or an image, because the kernel walks through all
   memory of the process to generate smaps.  */

#include "text/cost.h"
#include "dl-hugetext-ways.h"
#include "host/procmaps.h"
#include "object/plan.h"
#include "util/budget.h"

#include <stdint.h>
#include <unistd.h>

/* Return how many blocks of OBJECT the loader would copy even if the page
   cache held the object's whole file in huge pages.  OBJECT is an object of
   process PID, which has SETTINGS.  Return SIZE_MAX if the number of blocks is
   unknown.  */
static size_t
count_unfit (pid_t pid, const struct object_text *object,
             const struct settings *settings)
{
  struct problem problem;
  struct elf_object elf;
  struct plan plan;
  size_t count = 0;
  const int fd = objtext_open (pid, object);
  if (fd < 0)
    return SIZE_MAX;
  const bool good = elfobject_read (fd, &elf, &problem)
                    && elfobject_check (&elf, &problem) && budget_spend (0);
  const off_t size = lseek (fd, 0, SEEK_END);
  close (fd);
  if (!good)
    return SIZE_MAX;
  plan_make_primed (&plan, &elf, settings);
  for (size_t i = 0; i < plan.nblocks; ++i)
    count += (plan.blocks[i].verdict == HUGETEXT_TAKE && !plan.blocks[i].name
              && !plan_fits_file (&plan.blocks[i], size));
  plan_free (&plan);
  return count;
}

/* Return how many bytes in copies of OBJECT would remain if OBJECT's file were
   cached in huge pages.  COPIES is the number of bytes that are in copies of
   OBJECT now.  The result is at most COPIES, because cached files do not raise
   the cap on copies.  */
static size_t
find_unfit (pid_t pid, const struct object_text *object,
            const struct settings *settings, size_t copies)
{
  size_t copied = 0;
  /* If the setting "backing" does not allow huge pages of files, the loader
     uses copies even for cached files.  */
  if (copies == 0
      || !hugetext_may_use_file (settings_value (settings, SETTING_BACKING)))
    return copies;
  for (size_t i = 0; i < object->nblocks; ++i)
    copied += objtext_is_copy (&object->blocks[i]);
  const size_t unfit = count_unfit (pid, object, settings);
  return unfit < copied ? (size_t) ((double) copies * unfit / copied) : copies;
}

/* Add the cost of OBJECT to COST.  MAPS contain the details of the mappings of
   OBJECT.  */
static void
cost_add_cost (const struct object_text *object, const struct procmaps *maps,
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
cost_read (pid_t pid, const struct object_list *objects,
           const struct settings *settings, struct cost *cost)
{
  struct problem problem;
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
    {
      const size_t before = cost->copies;
      cost_add_cost (&objects->list[i], &maps, cost);
      cost->unfit += find_unfit (pid, &objects->list[i], settings,
                                 cost->copies - before);
    }
  procmaps_free (&maps);
  return budget_check (&problem);
}

void
cost_add (struct cost *sum, const struct cost *cost)
{
  sum->copies += cost->copies;
  sum->unfit += cost->unfit;
  sum->images += cost->images;
}
