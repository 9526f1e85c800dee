/* The choice of blocks by samples of a running process: which blocks to put on
   huge pages, and which blocks to move back to small pages to make room.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/choose.h"
#include "heat/profile.h"

/* The heat of a block if all samples are in this block.  */
#define ALL 65535

/* Return true if HEAT is higher than OTHER, and the difference between HEAT
   and OTHER is not due to chance: it must be at least CHOOSE_LEAST, and more
   than DEVIATIONS times its standard deviation.  SAMPLES is the number of
   samples in all blocks.  */
static bool
is_higher (uint32_t heat, uint32_t other, uint64_t samples,
           unsigned int deviations)
{
  if (heat < other || heat - other < CHOOSE_LEAST)
    return false;
  /* A block of heat HEAT has HEAT * N / ALL samples, where N is the number of
     all samples, and ALL the sum of all heats.  The variance of the difference
     between the samples of two blocks is about the sum of their samples.
     Calculate with a limited number of samples, so that the products do not
     overflow; more samples would not change the choice.  */
  const uint64_t most = UINT64_C (1) << 31;
  const uint64_t n = samples < most ? samples : most;
  const uint64_t more = heat - other;
  return more * more * n
         > deviations * deviations * ((uint64_t) heat + other) * ALL;
}

/* Return true if a block of heat HEAT should get an unused huge page.  SAMPLES
   is the number of all samples.  HEAT must be at least CHOOSE_LEAST, and the
   block must have more than four samples.  A block that takes the huge page of
   another block must meet a stronger condition (choose_is_worth).  */
static bool
choose_is_hot (uint32_t heat, uint64_t samples)
{
  return is_higher (heat, 0, samples, 2);
}

bool
choose_is_worth (uint32_t heat, uint32_t other, uint64_t samples)
{
  if (is_higher (heat, other, samples, 3))
    return true;
  return (other <= CHOOSE_COLD_MOST && heat > CHOOSE_LEAST
          && choose_is_hot (heat - CHOOSE_LEAST, samples));
}

/* Return the index of the hottest of the COUNT BLOCKS that may be put on a
   huge page.  If COLDEST is true, return instead the index of the coldest
   block that may be moved back to small pages.  If several blocks are equally
   hot, return the first of them.  Return COUNT if none of the BLOCKS may be
   moved.  */
static size_t
find_next (const struct choose_block blocks[], size_t count, bool coldest)
{
  size_t found = count;
  for (size_t i = 0; i < count; ++i)
    {
      const struct choose_block *block = &blocks[i];
      if (block->choice != CHOICE_KEEP || block->huge != coldest
          || (coldest ? !block->movable : !block->possible))
        continue;
      if (found == count
          || (coldest ? block->heat < blocks[found].heat
                      : block->heat > blocks[found].heat))
        found = i;
    }
  return found;
}

size_t
choose_cap (size_t cap, bool set, size_t files, size_t others)
{
  const size_t most = files + (others < cap ? others : cap);
  return set || most < cap ? cap : most;
}

void
choose_blocks (struct choose_block blocks[], size_t count, size_t cap,
               uint64_t samples)
{
  size_t used = 0;
  for (size_t i = 0; i < count; ++i)
    {
      blocks[i].choice = CHOICE_KEEP;
      used += blocks[i].huge;
    }
  if (samples < PROFILE_SAMPLES_LEAST)
    return;
  for (size_t out; used > cap; --used)
    {
      out = find_next (blocks, count, true);
      if (out == count)
        return;
      blocks[out].choice = CHOICE_BACK;
    }
  for (size_t in; (in = find_next (blocks, count, false)) < count;)
    {
      const size_t out = used < cap ? count : find_next (blocks, count, true);
      if (used >= cap && out == count)
        return;
      if (out < count
              ? !choose_is_worth (blocks[in].heat, blocks[out].heat, samples)
              : !choose_is_hot (blocks[in].heat, samples))
        return;
      if (out < count)
        blocks[out].choice = CHOICE_BACK;
      else
        ++used;
      blocks[in].choice = CHOICE_ADD;
    }
}
