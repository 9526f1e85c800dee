/* The account of code made at run time: how much of it is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Such code is in executable memory that belongs to no file: anonymous memory,
   or shared memory, whose file is the kernel's own.  Copies of text are in
   memory of the same kind, but at an object's addresses: a copy begins or ends
   in its object, and fills whole blocks.  */

#include "text/codetext.h"
#include "text/textblocks.h"
#include "util/budget.h"

#include <stdlib.h>
#include <string.h>

/* Whether MAP can be code that was made at run time.  */
static bool
is_code (const struct mapping *map)
{
  if (!map->executable)
    return false;
  if (map->inode != 0)
    return mapping_is_memory (map);
  return (strcmp (map->name, "[vdso]") != 0
          && strcmp (map->name, "[vsyscall]") != 0);
}

/* Return the first object of OBJECTS that occupies a part of MAP behind AT,
   from *FIRST to *LAST; NULL if none does.  */
static const struct object_text *
next_object (const struct object_list *objects, const struct mapping *map,
             uintptr_t at, uintptr_t *first, uintptr_t *last)
{
  const uintptr_t block = procmaps_block ();
  const struct object_text *found = NULL;
  for (size_t i = 0; i < objects->count; ++i)
    {
      const struct object_text *object = &objects->list[i];
      uintptr_t start = object->start & -block;
      uintptr_t end = (object->end + block - 1) & -block;
      if (object->start >= map->end || object->end <= map->start || end <= at
          || (found != NULL && start >= *first))
        continue;
      found = object;
      *first = start;
      *last = end;
    }
  return found;
}

/* Add the parts of MAP that belong to no file of OBJECTS.  */
static bool
add_mapping (struct pages *pages, const struct mapping *map,
             struct object_list *objects)
{
  uintptr_t at = map->start, first = 0, last = 0;
  while (at < map->end)
    {
      if (!budget_spend (0))
        return false;
      if (next_object (objects, map, at, &first, &last) == NULL
          || first > map->end)
        first = last = map->end;
      if (first > at && !textblocks_add (pages, &objects->made, at, first))
        return false;
      at = last;
    }
  return true;
}

/* Drop the blocks of OBJECT that the process has not touched: reservations are
   large.  */
static void
drop_untouched (struct object_text *object)
{
  size_t n = 0;
  for (size_t i = 0; i < object->nblocks; ++i)
    if (object->blocks[i].huge + object->blocks[i].small > 0)
      object->blocks[n++] = object->blocks[i];
  object->nblocks = n;
}

bool
codetext_add (struct pages *pages, struct object_list *objects)
{
  const struct procmaps *maps = pages->maps;
  objects->made.name = strdup ("(code made at run time)");
  if (objects->made.name == NULL)
    return false;
  for (size_t i = 0; i < maps->count; ++i)
    if (is_code (&maps->list[i])
        && !add_mapping (pages, &maps->list[i], objects))
      return false;
  drop_untouched (&objects->made);
  return true;
}
