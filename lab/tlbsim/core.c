/* The simulation of a processor that looks executed pages up in its TLBs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A page that level 1 does not hold is looked up in level 2, if level 2 is for
   this kind of page.  A page that neither level holds costs a page walk.  Both
   levels of the TLB then get the unit of the page.  The simulation prefetches
   nothing, and executes nothing speculatively.  */

#include "cpu.h"

void
core_init (struct core *core, const struct cpu *cpu)
{
  *core = (struct core){ .cpu = cpu, .level = { { -1, -1 }, { -1, -1 } } };
  for (size_t i = 0; i < cpu->ntlbs; ++i)
    {
      const struct tlb_shape *shape = &cpu->tlb[i];
      tlb_init (&core->tlb[i], shape->entries, shape->ways);
      for (int c = 0; c < PAGE_CLASSES; ++c)
        if (shape->holds[c])
          core->level[shape->level - 1][c] = i;
    }
}

void
core_free (struct core *core)
{
  for (size_t i = 0; i < core->cpu->ntlbs; ++i)
    tlb_free (&core->tlb[i]);
}

void
core_reset (struct core *core)
{
  for (int c = 0; c < PAGE_CLASSES; ++c)
    core->misses[c] = core->walks[c] = 0;
}

void
core_empty (struct core *core)
{
  for (size_t i = 0; i < core->cpu->ntlbs; ++i)
    tlb_empty (&core->tlb[i]);
}

void
core_run (struct core *core, const struct unit *table, size_t units,
          const uint32_t *list, size_t count)
{
  for (size_t i = 0; i < core->cpu->ntlbs; ++i)
    tlb_reserve (&core->tlb[i], units);
  struct tlb *level[2][PAGE_CLASSES];
  for (int l = 0; l < 2; ++l)
    for (int c = 0; c < PAGE_CLASSES; ++c)
      level[l][c]
          = core->level[l][c] >= 0 ? &core->tlb[core->level[l][c]] : NULL;
  for (size_t i = 0; i < count; ++i)
    {
      const struct unit *unit = &table[list[i]];
      struct tlb *second = level[1][unit->class];
      if (tlb_access (level[0][unit->class], list[i], unit->number))
        continue;
      ++core->misses[unit->class];
      if (second == NULL || !tlb_access (second, list[i], unit->number))
        ++core->walks[unit->class];
    }
}

double
core_cycles (const struct core *core)
{
  double sum = 0;
  for (int c = 0; c < PAGE_CLASSES; ++c)
    sum += (core->misses[c] - core->walks[c]) * core->cpu->hit2
           + core->walks[c] * core->cpu->walk[c];
  return sum;
}
