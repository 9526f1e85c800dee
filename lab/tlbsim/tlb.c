/* Translation lookaside buffers, simulated.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tlb.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

void
tlb_init (struct tlb *tlb, uint32_t entries, uint32_t ways)
{
  *tlb = (struct tlb){ .sets = entries / ways, .ways = ways };
  tlb->used = memory_array (NULL, entries, sizeof *tlb->used);
  tlb->held = memory_array (NULL, entries, sizeof *tlb->held);
  memset (tlb->used, 0, entries * sizeof *tlb->used);
}

void
tlb_reserve (struct tlb *tlb, size_t units)
{
  if (units <= tlb->units)
    return;
  size_t room = tlb->units != 0 ? tlb->units : 1024;
  while (room < units)
    room *= 2;
  tlb->where = memory_array (tlb->where, room, sizeof *tlb->where);
  memset (tlb->where + tlb->units, 0,
          (room - tlb->units) * sizeof *tlb->where);
  tlb->units = room;
}

void
tlb_empty (struct tlb *tlb)
{
  for (size_t i = 0; i < (size_t) tlb->sets * tlb->ways; ++i)
    if (tlb->used[i] != 0)
      {
        tlb->where[tlb->held[i]] = 0;
        tlb->used[i] = 0;
      }
}

void
tlb_free (struct tlb *tlb)
{
  free (tlb->used);
  free (tlb->held);
  free (tlb->where);
}

void
tlb_fill (struct tlb *tlb, uint32_t unit, uint64_t number)
{
  size_t first = (number % tlb->sets) * tlb->ways, victim = first;
  for (size_t i = first; i < first + tlb->ways; ++i)
    if (tlb->used[i] < tlb->used[victim])
      victim = i;
  if (tlb->used[victim] != 0)
    tlb->where[tlb->held[victim]] = 0;
  tlb->held[victim] = unit;
  tlb->used[victim] = ++tlb->clock;
  tlb->where[unit] = victim + 1;
}
