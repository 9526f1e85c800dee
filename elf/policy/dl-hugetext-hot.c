/* Policy of ld-hugetext: how hot is a block?  The heat of a block is the share
   of the execution time that is spent in the block, and decides the block's
   value in the ranking.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include "dl-hugetext-plan.h"

uint32_t
hugetext_block_heat (const struct hugetext_object *object,
                     const struct hugetext_geometry *geo,
                     const struct hugetext_heat *heat, uintptr_t block)
{
  if (heat->weight == NULL)
    return HUGETEXT_HEAT_UNKNOWN;
  uintptr_t first = heat->first + object->bias, next;
  /* In a corrupt index, the address of the first granule may be so high that
     the end of the last granule overflows.  LOW is then above HIGH, and the
     loop ends at once.  */
  uintptr_t low = hugetext_max (first, block);
  uintptr_t high = hugetext_min (first + heat->granules * HUGETEXT_GRANULE,
                                 block + geo->block);
  uint32_t sum = 0;
  for (uintptr_t at = low; at < high && sum < HUGETEXT_HEAT_MAX; at = next)
    {
      uintptr_t i = (at - first) / HUGETEXT_GRANULE;
      next = hugetext_min (first + (i + 1) * HUGETEXT_GRANULE, high);
      /* If a granule (a fixed range of text with one weight) is in two blocks,
         it contributes to the heat of both, in proportion to its bytes in
         each.  Round up the share of a granule in each block, so that a small
         share does not become 0.  */
      sum += ((uint64_t) heat->weight[i] * (next - at) + HUGETEXT_GRANULE - 1)
             / HUGETEXT_GRANULE;
    }
  return hugetext_min (sum, HUGETEXT_HEAT_MAX);
}

/* Return the rank of a block with HEAT, at least 1.  The rank increases by 32
   when the heat doubles.  A logarithmic rank suffices, because only the ratio
   between the heats of two blocks matters.  */
static uint32_t
rank_of_heat (uint32_t heat)
{
  unsigned int power = 0;
  while (heat >> power > 1)
    ++power;
  uint32_t rest = (power > 5 ? heat >> (power - 5) : heat << (5 - power)) & 31;
  return hugetext_min (32 * power + rest + 1, HUGETEXT_RANKS);
}

uint32_t
hugetext_heat_value (uint32_t heat)
{
  return (
      (heat >= HUGETEXT_HEAT_HOT ? HUGETEXT_VALUE_HOT : HUGETEXT_VALUE_TEPID)
      + rank_of_heat (heat));
}
