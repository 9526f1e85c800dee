/* Policy of ld-hugetext: which huge pages an object's text should get.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Pure functions of their arguments: no system call, no allocation, no
   state, no libc.  dl-hugetext-plan.h explains the model.  */

#include "dl-hugetext-plan.h"

/* Length of what [A_START, A_END) and [B_START, B_END) have in common.  */
static uintptr_t
overlap (uintptr_t a_start, uintptr_t a_end, uintptr_t b_start,
         uintptr_t b_end)
{
  uintptr_t start = hugetext_max (a_start, b_start);
  uintptr_t end = hugetext_min (a_end, b_end);
  return start < end ? end - start : 0;
}

uintptr_t
hugetext_threshold (const struct hugetext_geometry *geo, uintptr_t threshold)
{
  /* So much else would be taken along with a little text.  */
  return (geo->block <= HUGETEXT_BLOCK_USUAL || threshold == 0
          ? threshold : hugetext_max (threshold, geo->block / 2));
}

uintptr_t
hugetext_block_text (const struct hugetext_object *object,
                     const struct hugetext_geometry *geo, uintptr_t block)
{
  uintptr_t text = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (hugetext_is_text (s))
        text += overlap (s->datastart + object->bias,
                         s->dataend + object->bias, block,
                         block + geo->block);
    }
  return text;
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

bool
hugetext_block_execute_only (const struct hugetext_object *object,
                             const struct hugetext_geometry *geo,
                             uintptr_t block)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (hugetext_is_text (s) && !s->read
          && overlap (s->start + object->bias, s->end + object->bias, block,
                      block + geo->block) != 0)
        return true;
    }
  return false;
}

enum hugetext_verdict
hugetext_block_judge (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold, uintptr_t block)
{
  uintptr_t block_end = block + geo->block;
  uintptr_t text = hugetext_block_text (object, geo, block);
  if (text == 0)
    return HUGETEXT_NO_TEXT;

  uintptr_t text_pages = 0;     /* In bytes, whole pages.  */
  uintptr_t readable = 0;       /* Likewise: what must be readable.  */
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      uintptr_t pages = overlap (s->start + object->bias,
                                 s->end + object->bias, block, block_end);
      if (pages == 0)
        continue;
      if (s->write)
        return HUGETEXT_WRITABLE;
      if (overlap (s->fileend + object->bias, s->end + object->bias, block,
                   block_end) != 0)
        return HUGETEXT_ZERO_FILL;
      if (hugetext_is_text (s))
        text_pages += pages;
      else if (!s->read)
        /* A segment without any permission: no execution either.  */
        return HUGETEXT_EXECUTE_ONLY;
      if (s->read)
        readable += pages;
    }
  if (overlap (object->relro_start + object->bias,
               object->relro_end + object->bias, block, block_end) != 0)
    return HUGETEXT_RELRO;
  if (hugetext_block_execute_only (object, geo, block)
      && (readable != 0 || text_pages != geo->block))
    return HUGETEXT_EXECUTE_ONLY;
  if (text_pages != geo->block && (pad_threshold == 0 || text < pad_threshold))
    return HUGETEXT_BELOW_THRESHOLD;
  if (block < object->low || block_end > object->high)
    return HUGETEXT_OUTSIDE;
  return HUGETEXT_TAKE;
}

bool
hugetext_block_file_offset (const struct hugetext_object *object,
                            const struct hugetext_geometry *geo,
                            uintptr_t block, uint64_t *offset)
{
  bool found = false;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      uintptr_t start = s->start + object->bias;
      if (overlap (start, s->end + object->bias, block, block + geo->block)
          == 0)
        continue;
      /* The offset of the block's first byte, which may lie before the
         segment: wraps around if it would lie before the file.  */
      uint64_t first = s->offset - start + block;
      if ((first & (geo->block - 1)) != 0 || first > UINT64_MAX / 2
          || (found && first != *offset))
        return false;
      *offset = first;
      found = true;
    }
  return found;
}

/* The rank of a block with TEXT bytes of text: 1 for a single page or less,
   HUGETEXT_RANKS if it is full.  */
static size_t
rank_of (const struct hugetext_geometry *geo, uintptr_t text)
{
  uintptr_t unit = hugetext_max (geo->block / HUGETEXT_RANKS, 1);
  uintptr_t rank = (text + unit - 1) / unit;
  return hugetext_min (rank, HUGETEXT_RANKS);
}

void
hugetext_ranking_init (struct hugetext_ranking *ranking)
{
  for (size_t i = 0; i <= HUGETEXT_RANKS; ++i)
    ranking->count[i] = 0;
  ranking->total = 0;
  ranking->cut = 0;
  ranking->ties = 0;
  ranking->least = 0;
}

void
hugetext_ranking_keep_free (struct hugetext_ranking *ranking,
                            const struct hugetext_geometry *geo, size_t used,
                            size_t cap)
{
  /* Three quarters of the block by the share of the cap that is in use.
     Simulated with samples of firefox, python, PostgreSQL and java at caps of
     8 to 64: never less of the samples on huge pages than first come, first
     served (firefox at 64: 85 % for 33 %), and fewer copies.  A cap so large
     that this overflows is none.  */
  uintptr_t whole;
  ranking->least = (__builtin_mul_overflow (cap, 4, &whole) || whole == 0
                    ? 0 : 3 * geo->block * used / whole);
}

void
hugetext_ranking_add (struct hugetext_ranking *ranking,
                      const struct hugetext_geometry *geo, uintptr_t text)
{
  if (text >= ranking->least)
    {
      ++ranking->count[rank_of (geo, text)];
      ++ranking->total;
    }
}

void
hugetext_ranking_cut (struct hugetext_ranking *ranking, size_t budget)
{
  size_t rank = HUGETEXT_RANKS;
  while (rank > 0 && ranking->count[rank] <= budget)
    budget -= ranking->count[rank--];
  ranking->cut = rank;
  ranking->ties = rank > 0 ? budget : 0;
}

bool
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo, uintptr_t text)
{
  size_t rank = rank_of (geo, text);
  if (text < ranking->least)
    return false;
  if (rank != ranking->cut)
    return rank > ranking->cut;
  if (ranking->ties == 0)
    return false;
  --ranking->ties;
  return true;
}
