/* Policy of ld-hugetext: which huge pages an object's text should get.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-plan.h"

/* Return the bytes of BLOCK in [START, END), link-time addresses of OBJECT. */
static uintptr_t
within (const struct hugetext_object *object,
        const struct hugetext_geometry *geo, uintptr_t block, uintptr_t start,
        uintptr_t end)
{
  start = hugetext_max (start + object->bias, block);
  end = hugetext_min (end + object->bias, block + geo->block);
  return start < end ? end - start : 0;
}

uintptr_t
hugetext_threshold (const struct hugetext_geometry *geo, uintptr_t threshold)
{
  /* In a block above the usual size, a little text would take much else
     along.  */
  return (geo->block <= HUGETEXT_BLOCK_USUAL || threshold == 0
              ? threshold
              : hugetext_max (threshold, geo->block / 2));
}

bool
hugetext_next_block (const struct hugetext_object *object,
                     const struct hugetext_geometry *geo, uintptr_t from,
                     uintptr_t *block)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      uintptr_t start = hugetext_max (s->datastart + object->bias, from);
      if (hugetext_is_text (s) && start < s->dataend + object->bias)
        {
          *block = hugetext_round_down (start, geo->block);
          return true;
        }
    }
  return false;
}

struct hugetext_block
hugetext_block_judge (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold, uintptr_t start)
{
  struct hugetext_block block = { .start = start, .verdict = HUGETEXT_TAKE };
  uintptr_t all = 0;        /* Bytes of whole pages,  */
  uintptr_t text_pages = 0; /* of those with text,  */
  uintptr_t readable = 0;   /* and of those that must be readable.  */
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      uintptr_t pages = within (object, geo, start, s->start, s->end);
      if (pages == 0)
        continue;
      /* Offset of the block's first byte, which may lie before the segment: it
         wraps around if it would lie before the file.  */
      uint64_t first = s->offset - s->start - object->bias + start;
      block.congruent
          = ((first & (geo->block - 1)) == 0 && first <= UINT64_MAX / 2
             && (all == 0 || (block.congruent && first == block.offset)));
      block.offset = first;
      all += pages;
      if (s->read)
        readable += pages;
      if (hugetext_is_text (s))
        {
          text_pages += pages;
          block.text += within (object, geo, start, s->datastart, s->dataend);
          block.execute_only |= !s->read;
        }
      if (block.verdict != HUGETEXT_TAKE)
        continue;
      if (s->write)
        block.verdict = HUGETEXT_WRITABLE;
      else if (within (object, geo, start, s->fileend, s->end) != 0)
        block.verdict = HUGETEXT_ZERO_FILL;
      else if (!s->read && !s->exec)
        /* The segment has no permission, so it may not become executable
           either.  */
        block.verdict = HUGETEXT_EXECUTE_ONLY;
    }
  if (block.text == 0)
    block.verdict = HUGETEXT_NO_TEXT;
  else if (block.verdict != HUGETEXT_TAKE)
    ;
  else if (within (object, geo, start, object->relro_start, object->relro_end)
           != 0)
    block.verdict = HUGETEXT_RELRO;
  else if (block.execute_only && (readable != 0 || text_pages != geo->block))
    block.verdict = HUGETEXT_EXECUTE_ONLY;
  else if (text_pages != geo->block
           && (pad_threshold == 0 || block.text < pad_threshold))
    block.verdict = HUGETEXT_BELOW_THRESHOLD;
  else if (start < object->low || start + geo->block > object->high)
    block.verdict = HUGETEXT_OUTSIDE;
  return block;
}

/* Return the rank of a block with TEXT bytes of text: 1 for a single page or
   less, HUGETEXT_RANKS for a full block.  */
static uint32_t
rank_of (const struct hugetext_geometry *geo, uintptr_t text)
{
  uintptr_t unit = hugetext_max (geo->block / HUGETEXT_RANKS, 1);
  return hugetext_min ((text + unit - 1) / unit, HUGETEXT_RANKS);
}

/* Return the value of a block with TEXT bytes and HEAT, higher for better
   ones.  Hot blocks, and those with little heat, are ranked by their heat, all
   others by their text.  */
static uint32_t
value_of (const struct hugetext_geometry *geo, uintptr_t text, uint32_t heat)
{
  if (heat == HUGETEXT_HEAT_UNKNOWN)
    return HUGETEXT_VALUE_UNKNOWN + rank_of (geo, text);
  return heat == 0 ? rank_of (geo, text) : hugetext_heat_value (heat);
}

/* The count of VALUE in RANKING.  Those of unknown heat come first in memory:
   each page that a start touches costs it a microsecond.  */
static uint32_t *
count_of (struct hugetext_ranking *ranking, int value)
{
  return &ranking->count[(value + HUGETEXT_VALUES_OF_BLOCKS
                          - HUGETEXT_VALUE_UNKNOWN)
                         % HUGETEXT_VALUES_OF_BLOCKS];
}

/* Whether RANKING counts a block with TEXT bytes and VALUE at all.  */
static bool
is_eligible (const struct hugetext_ranking *ranking, uintptr_t text,
             uint32_t value)
{
  return (text >= ranking->least
          || value > HUGETEXT_VALUE_UNKNOWN + HUGETEXT_RANKS);
}

void
hugetext_ranking_init (struct hugetext_ranking *ranking)
{
  for (int i = 0; i < HUGETEXT_VALUES_OF_BLOCKS && ranking->total != 0; ++i)
    ranking->count[i] = 0;
  ranking->total = ranking->least = 0;
  ranking->cut = -1;
  ranking->small = false;
}

void
hugetext_ranking_keep_free (struct hugetext_ranking *ranking,
                            const struct hugetext_geometry *geo, size_t used,
                            size_t cap)
{
  /* The least text is three quarters of the block times the share of the cap
     in use (doc/experiments/choice-of-blocks).  A cap so large that the
     product overflows is no cap.  */
  uintptr_t whole;
  ranking->least = (__builtin_mul_overflow (cap, 4, &whole) || whole == 0
                        ? 0
                        : 3 * geo->block * used / whole);
}

void
hugetext_ranking_add (struct hugetext_ranking *ranking,
                      const struct hugetext_geometry *geo, uintptr_t text,
                      uint32_t heat)
{
  uint32_t value = value_of (geo, text, heat);
  if (is_eligible (ranking, text, value))
    {
      ++*count_of (ranking, value);
      ++ranking->total;
    }
}

void
hugetext_ranking_cut (struct hugetext_ranking *ranking, size_t budget)
{
  ranking->cut = -1;
  if (ranking->total <= budget)
    return;
  ranking->cut = HUGETEXT_VALUES_OF_BLOCKS - 1;
  for (; *count_of (ranking, ranking->cut) <= budget; --ranking->cut)
    budget -= *count_of (ranking, ranking->cut);
  ranking->ties = budget;
}

enum hugetext_verdict
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo, uintptr_t text,
                       uint32_t heat)
{
  if (ranking->small)
    return HUGETEXT_SMALL_PROGRAM;
  int value = value_of (geo, text, heat);
  if (!is_eligible (ranking, text, value))
    return HUGETEXT_KEPT_FREE;
  if (value == ranking->cut && ranking->ties > 0)
    {
      --ranking->ties;
      return HUGETEXT_TAKE;
    }
  return value > ranking->cut ? HUGETEXT_TAKE : HUGETEXT_OVER_CAP;
}
