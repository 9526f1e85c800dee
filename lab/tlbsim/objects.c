/* Objects: the mappings of a traced process, and the loader's places for
   them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader's own code makes the plan: one plan for all objects that are
   mapped when the program begins, and another one each time that objects are
   opened later.  The blocks are assumed to be copies (backing thp).  With
   huge pages of the file, up to a twentieth of an object's text may remain on
   small pages.  */

#include "objects.h"
#include "object/elfhead.h"
#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first address of placed objects, far from all traced addresses.  */
#define PLACE ((uintptr_t) 1 << 44)

void
objects_init (struct objects *objects, const size_t *pads, size_t npads,
              const size_t *maxes, size_t nmaxes,
              const struct huge_range *ranges, size_t nranges)
{
  *objects = (struct objects){
    .pads = pads,
    .npads = npads,
    .maxes = maxes,
    .nmaxes = nmaxes,
    .ranges = ranges,
    .nranges = nranges,
  };
  objects->cursors = memory_array (NULL, npads, sizeof *objects->cursors);
  objects->used = memory_array (NULL, npads * nmaxes, sizeof *objects->used);
  objects->huge = memory_array (NULL, npads * nmaxes, sizeof *objects->huge);
  for (size_t i = 0; i < npads; ++i)
    objects->cursors[i] = PLACE;
  for (size_t i = 0; i < npads * nmaxes; ++i)
    objects->used[i] = objects->huge[i] = 0;
}

/* FD is the file of the program, which is loaded at OBJECT->bias.  Note the
   entry of the program, and the loader that the program names.  The text of
   the loader is already running, so it stays in its place.  */
static void
note_program (struct objects *objects, struct object *object, int fd)
{
  struct elf_head head;
  struct problem problem;
  char name[4096];
  if (!elfhead_read (fd, &head, &problem))
    return;
  object->entry = object->bias + head.entry;
  for (size_t i = 0; i < head.count; ++i)
    if (head.phdr[i].p_type == PT_INTERP
        && head.phdr[i].p_filesz <= sizeof name
        && elfhead_bytes (fd, name, head.phdr[i].p_filesz,
                          head.phdr[i].p_offset)
               == head.phdr[i].p_filesz)
      objects->loader = realpath (name, NULL);
  elfhead_free (&head);
}

/* Add the object to which MAP belongs.  */
static void
add_object (struct objects *objects, const struct mapping *map)
{
  struct object object
      = { .device = map->device, .inode = map->inode, .plain = true };
  int fd = open (map->name, O_RDONLY | O_CLOEXEC);
  struct problem problem;
  const bool good = fd >= 0 && elfobject_read (fd, &object.elf, &problem);

  object.start = map->start;
  object.end = map->end;
  const struct hugetext_object *elf = &object.elf.object;
  for (size_t i = 0; good && i < elf->nsegments; ++i)
    {
      const struct hugetext_segment *s = &elf->segment[i];
      if (map->offset < s->offset
          || map->offset >= s->offset + (s->end - s->start))
        continue;
      object.bias = map->start - (s->start + (map->offset - s->offset));
      object.start = object.bias + elf->segment[0].start;
      object.end = object.bias + elf->segment[elf->nsegments - 1].end;
      object.plain = !elfobject_check (&object.elf, &problem);
      if (object.elf.program)
        note_program (objects, &object, fd);
      objects->text += hugetext_object_text (&object.elf.object);
      if (objects->index != NULL)
        heat_read (&object.heat, objects->index, fd, elf);
      break;
    }
  if (fd >= 0)
    close (fd);
  object.name = strdup (map->name);
  objects->list
      = memory_grow (objects->list, objects->count, sizeof *objects->list);
  objects->list[objects->count++] = object;
}

bool
objects_look (struct objects *objects)
{
  struct procmaps maps;
  if (objects->pid == 0 || procmaps_read (objects->pid, &maps) != 0)
    return false;
  for (size_t i = 0; i < maps.count; ++i)
    {
      const struct mapping *map = &maps.list[i];
      /* Skip valgrind itself, which is a static program.  */
      if (map->executable && map->inode != 0 && map->name[0] == '/'
          && strstr (map->name, "/valgrind/lackey-") == NULL
          && objects_find (objects, map->start) == NULL)
        add_object (objects, map);
    }
  procmaps_free (&maps);
  return true;
}

struct object *
objects_find (struct objects *objects, uintptr_t address)
{
  for (size_t i = objects->count; i-- > 0;)
    if (address >= objects->list[i].start && address < objects->list[i].end)
      return &objects->list[i];
  return NULL;
}

/* Move PLAN, which was made for an arbitrary address, to free addresses,
   which begin at *CURSOR.  Return the distance.  */
static uintptr_t
own_place (const struct plan *plan, uintptr_t *cursor)
{
  const struct hugetext_object *object = &plan->elf.object;
  if (plan->place == PLACE_FIXED)
    return 0;
  uintptr_t unit = plan->place == PLACE_ANY ? elfobject_geometry ().page
                                            : elfobject_geometry ().block;
  if (plan->place != PLACE_ANY && plan->placement.modulus > unit)
    unit = plan->placement.modulus;
  uintptr_t low = object->segment[0].start + object->bias;
  if (plan->place != PLACE_ANY)
    low = object->low;
  uintptr_t shift = (*cursor - low + unit - 1) & -unit;
  *cursor = object->high + shift;
  return shift;
}

/* Set which blocks the loader takes with threshold PAD and each maximum.
   PLANS are the COUNT plans of the objects from FIRST on.  */
static void
cut (struct objects *objects, const struct plan plans[], size_t first,
     size_t count, size_t pad, size_t max)
{
  const size_t at = pad * objects->nmaxes + max;
  struct plan *cut = memory_array (NULL, count, sizeof *cut);
  for (size_t i = 0; i < count; ++i)
    {
      cut[i] = plans[i];
      cut[i].blocks
          = memory_array (NULL, plans[i].nblocks, sizeof *cut[i].blocks);
      for (size_t k = 0; k < plans[i].nblocks; ++k)
        cut[i].blocks[k] = plans[i].blocks[k];
    }
  plan_cut (cut, count, objects->maxes[max] - objects->used[at]);
  for (size_t i = 0; i < count; ++i)
    {
      struct placed *placed = &objects->list[first + i].placed[pad];
      for (size_t k = 0; k < cut[i].nblocks; ++k)
        {
          bool taken = cut[i].blocks[k].verdict == HUGETEXT_TAKE;
          placed->blocks[k].taken[max] = taken;
          objects->used[at] += taken;
          objects->huge[at] += taken ? cut[i].blocks[k].text : 0;
        }
      free (cut[i].blocks);
    }
  free (cut);
}

/* Plan the objects from FIRST on with threshold PAD.  */
static void
plan_with (struct objects *objects, size_t first, size_t pad)
{
  size_t count = objects->count - first;
  struct settings settings = { 0 };
  settings.given[SETTING_PAD] = true;
  settings.value[SETTING_PAD] = objects->pads[pad];

  struct plan *plans = memory_array (NULL, count, sizeof *plans);
  for (size_t i = 0; i < count; ++i)
    {
      struct object *object = &objects->list[first + i];
      struct placed *placed = &object->placed[pad];
      *placed = (struct placed){ .bias = object->bias };
      plans[i] = (struct plan){ 0 };
      if (object->plain
          || (objects->loader != NULL
              && strcmp (object->name, objects->loader) == 0))
        continue;
      plan_make (&plans[i], &object->elf, &settings,
                 objects_by_heat (objects, pad) ? &object->heat.plan : NULL);
      uintptr_t shift = own_place (&plans[i], &objects->cursors[pad]);
      placed->bias = plans[i].elf.object.bias + shift;
      placed->nblocks = plans[i].nblocks;
      placed->blocks
          = memory_array (NULL, placed->nblocks, sizeof *placed->blocks);
      for (size_t k = 0; k < placed->nblocks; ++k)
        placed->blocks[k] = (struct object_block){
          .start = plans[i].blocks[k].start + shift,
          .text = plans[i].blocks[k].text,
          .taken = memory_array (NULL, objects->nmaxes, sizeof (bool)),
        };
    }
  for (size_t max = 0; max < objects->nmaxes; ++max)
    cut (objects, plans, first, count, pad, max);
  for (size_t i = 0; i < count; ++i)
    plan_free (&plans[i]);
  free (plans);
}

void
objects_plan (struct objects *objects)
{
  size_t first = objects->count;
  while (first > 0 && objects->list[first - 1].placed == NULL)
    --first;
  if (first == objects->count)
    return;
  for (size_t i = first; i < objects->count; ++i)
    objects->list[i].placed
        = memory_array (NULL, objects->npads, sizeof *objects->list[i].placed);
  for (size_t pad = 0; pad < objects->npads; ++pad)
    plan_with (objects, first, pad);
}

uintptr_t
objects_move (const struct objects *objects, const struct object *object,
              uintptr_t address, size_t pad, size_t max, bool *huge)
{
  const uintptr_t block = elfobject_geometry ().block;
  *huge = false;
  if (objects->maxes[max] == 0)
    return address;
  for (size_t i = 0; i < objects->nranges; ++i)
    if (address >= objects->ranges[i].start
        && address < objects->ranges[i].end)
      {
        *huge = true;
        return address;
      }
  if (object == NULL || object->placed == NULL)
    return address;

  const struct placed *placed = &object->placed[pad];
  address += placed->bias - object->bias;
  for (size_t k = 0; k < placed->nblocks; ++k)
    if (address - placed->blocks[k].start < block)
      *huge = placed->blocks[k].taken[max];
  return address;
}
