/* Choose where an object goes: what the policy says, and what the page cache
   has.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Where an object can lie congruent to its file, whether the file's own pages
   can be had is tried, before anything of the object is touched: the first
   access to any of its data makes the kernel read megabytes around them in
   small pages.  */

#include "dl-hugetext-backing.h"
#include "dl-hugetext-choose.h"
#include "dl-hugetext-file.h"
#include "dl-hugetext-store.h"

/* The next block of OBJECT, at its present load bias, that may be taken and
   be its file's own.  Sets OFFSET to its place in the file.  */
static bool
next_file_block (const struct hugetext_object *object,
                 const struct hugetext_settings *set, uintptr_t from,
                 uintptr_t *block, uint64_t *offset)
{
  for (; hugetext_next_block (object, &set->geo, from, block);
       from = *block + set->geo.block)
    if (hugetext_block_judge (object, &set->geo, set->pad_threshold, *block)
        == HUGETEXT_TAKE
        && hugetext_block_file_offset (object, &set->geo, *block, offset))
      return true;
  return false;
}

/* Have STATE's ranking say which of those blocks are worth reading, whose HEAT
   is known.  */
static void
rank_file_blocks (struct hugetext_state *state,
                  const struct hugetext_object *object,
                  const struct hugetext_heat *heat)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  uintptr_t block;
  uint64_t offset;

  hugetext_ranking_init (&state->ranking);
  for (uintptr_t from = 0;
       next_file_block (object, &state->set, from, &block, &offset);
       from = block + geo->block)
    hugetext_ranking_add (&state->ranking, geo,
                          hugetext_block_text (object, geo, block),
                          hugetext_block_heat (object, geo, heat, block));
  hugetext_ranking_cut (&state->ranking,
                        _dl_hugetext_ledger_blocks (&state->ledger,
                                                    state->ranking.total));
}

/* The next block of OBJECT that is worth reading.  Where HEAT is known, cold
   ones are not; where it is not, all are.  */
static bool
next_worthy (struct hugetext_state *state,
             const struct hugetext_object *object,
             const struct hugetext_heat *heat, uintptr_t from,
             uintptr_t *block, uint64_t *offset)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  for (; next_file_block (object, &state->set, from, block, offset);
       from = *block + geo->block)
    {
      uint32_t hot = hugetext_block_heat (object, geo, heat, *block);
      if (heat->weight == NULL
          || (hot > 0
              && hugetext_ranking_take (&state->ranking, geo,
                                        hugetext_block_text (object, geo,
                                                             *block), hot)
                 == HUGETEXT_TAKE))
        return true;
    }
  return false;
}

/* Have all blocks of OBJECT, open on FD, cached in huge pages, up to the cap.
   False if some are not.  */
static bool
cache_all (struct hugetext_state *state, int fd,
           const struct hugetext_object *object,
           const struct hugetext_heat *heat)
{
  size_t size = state->set.geo.block;
  uintptr_t block;
  uint64_t offset, first = 0;
  size_t n = 0, total = 0, cached = 0;

  if (heat->weight != NULL)
    rank_file_blocks (state, object, heat);
  for (uintptr_t from = 0; ; from = block + size)
    {
      bool more = (_dl_hugetext_ledger_blocks (&state->ledger, total + 1)
                   > total
                   && next_worthy (state, object, heat, from, &block,
                                   &offset));
      if (n > 0 && (!more || offset != first + n * size
                    || n == HUGETEXT_RUN_MAX))
        {
          cached += _dl_hugetext_cache_huge (&state->attempt, fd, first, n);
          n = 0;
        }
      if (!more)
        break;
      if (n++ == 0)
        first = offset;
      ++total;
    }
  return cached == total;
}

/* Whether a block of OBJECT, open on FD, is cached in a huge page or can
   be.  */
static bool
try_one (struct hugetext_state *state, int fd,
         const struct hugetext_object *object)
{
  uintptr_t block, from = 0;
  uint64_t offset[3];
  size_t n = 0;

  for (; n < 3 && next_file_block (object, &state->set, from, &block,
                                   &offset[n]);
       ++n)
    from = block + state->set.geo.block;

  /* The second rather than the first: that one has been read from already.
     It may be in the middle of being read, too; then the third.  */
  return ((n > 0 && _dl_hugetext_cache_huge (&state->attempt, fd,
                                             offset[n > 1], 1) == 1)
          || (n > 2 && _dl_hugetext_cache_huge (&state->attempt, fd,
                                                offset[2], 1) == 1));
}

/* Whether the store has an image of OBJECT, which is of FILE and only fits
   where it was made for.  Reads its record.  */
static bool
is_stored (struct hugetext_state *state,
           const struct hugetext_identity *file,
           const struct hugetext_object *object)
{
  struct hugetext_open_index *index = &state->attempt.index;
  bool was_open = index->fd >= 0;
  if (!state->set.has.images || !_dl_hugetext_may_use_store (&state->set))
    return false;
  bool stored = _dl_hugetext_find_image (&state->attempt, object, file,
                                         &state->image);
  /* As dl-hugetext-heat.c does.  */
  if (!was_open)
    _dl_hugetext_close_index (index);
  return stored;
}

void
_dl_hugetext_gather (struct hugetext_state *state,
                     const struct hugetext_identity *file,
                     struct hugetext_object *object, uint32_t heat,
                     struct hugetext_placement *placement)
{
  if (__glibc_likely (heat == 0) || is_stored (state, file, object))
    return;
  struct hugetext_heat known = _dl_hugetext_heat (state->heats, heat);
  hugetext_place_by_heat (object, &state->set.geo, state->set.pad_threshold,
                          &known, placement);
}

/* Change PLACEMENT of OBJECT to where the image of FILE in the store serves.
   False if there is none, or if it serves much less.  */
static bool
follow_image (struct hugetext_state *state,
              const struct hugetext_identity *file,
              struct hugetext_object *object,
              struct hugetext_placement *placement)
{
  struct hugetext_placement there;
  if (!is_stored (state, file, object)
      || !hugetext_place_at (object, &state->set.geo,
                             state->set.pad_threshold,
                             state->image.image.first, &there)
      || !hugetext_prefer_image (&there, placement))
    return false;
  *placement = there;
  return true;
}

bool
_dl_hugetext_file_fits (struct hugetext_state *state, int fd,
                        const struct hugetext_identity *file,
                        struct hugetext_object *object, uint32_t heat,
                        bool fixed,
                        struct hugetext_placement *placement)
{
  struct hugetext_placement congruent;

  if (!_dl_hugetext_may_use_file (&state->set))
    return false;
  struct hugetext_heat known = _dl_hugetext_heat (state->heats, heat);
  /* Images are where most text is in blocks by the default threshold.  */
  if (!fixed && state->set.pad_threshold != HUGETEXT_PAD_DEFAULT)
    follow_image (state, file, object, placement);
  if (!fixed
      && !hugetext_place_congruent (object, &state->set.geo,
                                    state->set.pad_threshold, &congruent))
    return false;
  if (!fixed && placement->heat != 0)
    hugetext_place_heat (object, &state->set.geo, state->set.pad_threshold,
                         &known, &congruent);
  if (!fixed && state->set.backing != HUGETEXT_FILE
      && !hugetext_prefer_congruent (&congruent, placement))
    return false;
  /* What the file does not have would be copies.  */
  if (!fixed && congruent.text < placement->text
      && follow_image (state, file, object, placement))
    return false;
  if (_dl_hugetext_traced (&state->attempt))
    return false;

  object->bias = fixed ? 0 : congruent.modulus + congruent.residue;
  object->low = 0;
  object->high = UINTPTR_MAX;
  if (!try_one (state, fd, object))
    return false;
  if (!cache_all (state, fd, object, &known)
      && !fixed && follow_image (state, file, object, placement))
    return false;
  if (!fixed)
    *placement = congruent;
  return true;
}
