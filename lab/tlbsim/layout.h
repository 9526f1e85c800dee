/* Layouts: the pages of a trace under one way of mapping the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LAYOUT_H
#define LAYOUT_H

#include "cpu.h"
#include "objects.h"

/* One layout with the processors that work on it.  */
struct layout
{
  size_t pad, max;    /* The indices of a threshold in PADS and of a maximum in
                         MAXES.  */
  unsigned int shift; /* The binary logarithm of the size of a unit of small
                         pages.  */
  struct unit *units;
  size_t nunits;
  uint32_t *slots; /* A hash table of the units: the number of a unit + 1, or
                      0 for a free slot.  */
  size_t nslots;
  uint32_t *of_page; /* The unit of each traced page.  */
  size_t npages;
  uint32_t last; /* The number of the unit (page) in which the program last
                    executed.  */
  struct core *cores;
  size_t ncores;
};

extern void layout_init (struct layout *layout, size_t pad, size_t max,
                         unsigned int shift);

/* Add a processor, CPU, to LAYOUT.  */
extern void layout_add_cpu (struct layout *layout, const struct cpu *cpu);

/* Add the next traced page, at ADDRESS in OBJECT.  */
extern void layout_add_page (struct layout *layout,
                             const struct objects *objects,
                             const struct object *object, uintptr_t address);

/* Simulate that the program executes in the COUNT traced pages of LIST, in
   this order.  */
extern void layout_run (struct layout *layout, const uint32_t *list,
                        size_t count);

#endif
