/* Blocks of text and of code made at run time: count their huge and small
   pages with smaps and PAGEMAP_SCAN.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Code made at run time is in executable memory that is not mapped from an
   object's file: in anonymous memory, or in shared memory (for which the
   kernel shows the name of an internal file).  Copies of text are also in
   anonymous or shared memory, but at the addresses of an object.  A mapping of
   copies begins or ends within the address range of the object, and consists
   of whole blocks.  */

#include "text/textblocks.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <string.h>

const char *
backing_names (unsigned int backing, char buffer[static 40])
{
  buffer[0] = '\0';
  for (enum hugetext_way i = 0; i < HUGETEXT_WAYS; ++i)
    if ((backing >> i & 1) != 0)
      {
        if (buffer[0] != '\0')
          strcat (buffer, "+");
        strcat (buffer, hugetext_way_name (i));
      }
  return buffer[0] != '\0' ? buffer : "-";
}

/* Return the backing that the text of OBJECT has at ADDRESS, according to the
   mapping at ADDRESS in PAGES.  For text on small pages, return the backing
   that the text would have on huge pages.  */
static unsigned int
backing_at (struct pages *pages, const struct object_text *object,
            uintptr_t address)
{
  const struct mapping *map = procmaps_find (pages->maps, address);
  if (map == NULL || map->inode == 0)
    /* A mapping without an inode is anonymous memory; memory from the hugetlb
       pool has an inode.  */
    return BACKING_THP;
  if (map->inode == object->inode && map->device == object->device)
    return BACKING_FILE;
  procmaps_details (pages->pid, pages->maps);
  if (map->hugetlb)
    return BACKING_HUGETLB;
  return mapping_is_memory (map) ? BACKING_MEMORY_FILE : BACKING_STORE;
}

/* Text within one block.  */
struct piece
{
  size_t text; /* The number of bytes.  */
  struct page_counts counts;
  unsigned int backing; /* The backing of the text's huge pages, or 0 if the
                           text has no huge pages.  */
};

/* Add PIECE to SUMS.  */
static void
add_to_sums (struct text_sums *sums, const struct piece *piece)
{
#define TEXT_SUM(type, member, add, most, value) sums->member add value;
#include "text/columns.def"
}

/* Add the text at [START, END), which is within one block, to OBJECT.  */
static bool
add_piece (struct pages *pages, struct object_text *object, uintptr_t start,
           uintptr_t end)
{
  uintptr_t at = start & -procmaps_block ();
  struct text_block *block
      = object->nblocks > 0 ? &object->blocks[object->nblocks - 1] : NULL;
  if (block == NULL || block->start != at)
    {
      if (!budget_spend (sizeof *block))
        return false;
      object->blocks
          = allocate_more (object->blocks, object->nblocks, sizeof *block);
      block = &object->blocks[object->nblocks++];
      *block = (struct text_block){ .start = at };
    }

  const struct page_counts counts = pages_count (pages, start, end);
  const unsigned int backing = backing_at (pages, object, start);
  const struct mapping *map = procmaps_find (pages->maps, start);
  block->copied
      |= (map != NULL
          && (map->inode != object->inode || map->device != object->device));
  block->text += end - start;
  block->huge += counts.huge;
  block->small += counts.small;
  block->guessed |= counts.guessed;
  block->image |= backing == BACKING_STORE;
  if (counts.huge > 0)
    block->backing = backing;
  add_to_sums (&object->sums, &(struct piece){
                                  .text = end - start,
                                  .counts = counts,
                                  .backing = counts.huge > 0 ? backing : 0,
                              });
  return true;
}

bool
textblocks_add (struct pages *pages, struct object_text *object,
                uintptr_t start, uintptr_t end)
{
  const uintptr_t block = procmaps_block ();
  while (start < end)
    {
      uintptr_t next = (start & -block) + block;
      if (next > end || next == 0)
        next = end;
      if (!add_piece (pages, object, start, next))
        return false;
      start = next;
    }
  return true;
}

/* Return true if MAP may be code made at run time.  */
static bool
textblocks_may_be_code (const struct mapping *map)
{
  if (!map->executable)
    return false;
  if (map->inode != 0)
    return mapping_is_memory (map);
  return (strcmp (map->name, "[vdso]") != 0
          && strcmp (map->name, "[vsyscall]") != 0);
}

/* Return true if the block at AT in the mapping MAP is a copy of text: MAP and
   the block overlap the address range of one of OBJECTS.  */
static bool
is_copied_to (const struct object_list *objects, const struct mapping *map,
              uintptr_t at)
{
  const uintptr_t block = procmaps_block ();
  for (size_t i = 0; i < objects->count; ++i)
    {
      const struct object_text *object = &objects->list[i];
      if (object->start < map->end && object->end > map->start
          && object->start < at + block && object->end > at)
        return true;
    }
  return false;
}

/* Remove the blocks of OBJECT that the process has not touched, because
   programs reserve large ranges of addresses for code, but use only a part of
   each range.  */
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
textblocks_add_code (struct pages *pages, struct object_list *objects)
{
  const uintptr_t block = procmaps_block ();
  objects->made.name = allocate_text ("(code made at run time)");
  for (size_t i = 0; i < pages->maps->count; ++i)
    {
      const struct mapping *map = &pages->maps->list[i];
      uintptr_t at = map->start, next;
      for (; textblocks_may_be_code (map) && at < map->end; at = next)
        {
          next = (at & -block) + block;
          if (next > map->end)
            next = map->end;
          if (!budget_spend (0)
              || (!is_copied_to (objects, map, at & -block)
                  && !add_piece (pages, &objects->made, at, next)))
            return false;
        }
    }
  drop_untouched (&objects->made);
  return true;
}
