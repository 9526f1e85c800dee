/* Layouts: the pages of a trace under one way of mapping the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "layout.h"
#include "memory.h"

#include <string.h>

void
layout_init (struct layout *layout, size_t pad, size_t max, unsigned int shift)
{
  *layout = (struct layout){
    .pad = pad, .max = max, .shift = shift, .last = UINT32_MAX
  };
}

void
layout_add_cpu (struct layout *layout, const struct cpu *cpu)
{
  layout->cores
      = memory_grow (layout->cores, layout->ncores, sizeof *layout->cores);
  core_init (&layout->cores[layout->ncores++], cpu);
}

static size_t
hash (const struct layout *layout, const struct unit *unit)
{
  return ((unit->number * PAGE_CLASSES + unit->class)
              * UINT64_C (0x9e3779b97f4a7c15)
          >> 20)
         & (layout->nslots - 1);
}

/* Return the slot of UNIT, or the free slot for it.  */
static uint32_t *
find_slot (const struct layout *layout, const struct unit *unit)
{
  for (size_t i = hash (layout, unit);; i = (i + 1) & (layout->nslots - 1))
    {
      const uint32_t slot = layout->slots[i];
      if (slot == 0
          || (layout->units[slot - 1].number == unit->number
              && layout->units[slot - 1].class == unit->class))
        return &layout->slots[i];
    }
}

/* Keep the hash table at most half full.  */
static void
make_room (struct layout *layout)
{
  if (2 * layout->nunits < layout->nslots)
    return;
  free (layout->slots);
  layout->nslots = layout->nslots != 0 ? 2 * layout->nslots : 1024;
  layout->slots = memory_array (NULL, layout->nslots, sizeof *layout->slots);
  memset (layout->slots, 0, layout->nslots * sizeof *layout->slots);
  for (size_t i = 0; i < layout->nunits; ++i)
    *find_slot (layout, &layout->units[i]) = i + 1;
}

void
layout_add_page (struct layout *layout, const struct objects *objects,
                 const struct object *object, uintptr_t address)
{
  bool huge;
  address = objects_move (objects, object, address, layout->pad, layout->max,
                          &huge);
  struct unit unit = {
    .number
    = huge ? address / elfobject_geometry ().block : address >> layout->shift,
    .class = huge ? PAGE_HUGE : PAGE_SMALL,
  };
  make_room (layout);
  uint32_t *slot = find_slot (layout, &unit);
  if (*slot == 0)
    {
      layout->units
          = memory_grow (layout->units, layout->nunits, sizeof *layout->units);
      layout->units[layout->nunits] = unit;
      *slot = ++layout->nunits;
    }
  layout->of_page
      = memory_grow (layout->of_page, layout->npages, sizeof *layout->of_page);
  layout->of_page[layout->npages++] = *slot - 1;
}

void
layout_run (struct layout *layout, const uint32_t *list, size_t count)
{
  uint32_t units[count + 1];
  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    {
      uint32_t unit = layout->of_page[list[i]];
      if (unit != layout->last)
        units[n++] = layout->last = unit;
    }
  for (size_t i = 0; i < layout->ncores; ++i)
    core_run (&layout->cores[i], layout->units, layout->nunits, units, n);
}
