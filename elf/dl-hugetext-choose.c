/* The search for an object's place: the text that page cache and store have
   for each place.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy (dl-hugetext-placement.c) asks, and this file has the answers.
   The loader tries whether the file's own pages can be had before it touches
   the object: the first access to the object's data makes the kernel read
   megabytes around them in small pages.  */

#include "dl-hugetext-backing.h"
#include "dl-hugetext-choose.h"
#include "dl-hugetext-file.h"
#include "dl-hugetext-store.h"

/* Find the next block of OBJECT, at its present load bias, that may be taken
   and can be a page of its own file.  Set OFFSET to the block's offset in the
   file.  */
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

/* Have STATE's ranking say which of those blocks are worth reading, by
   HEAT.  */
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
  hugetext_ranking_cut (
      &state->ranking,
      _dl_hugetext_ledger_blocks (&state->ledger, state->ranking.total));
}

/* Find the next block of OBJECT that is worth reading: with a known HEAT a
   block that is not cold, otherwise any block.  */
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
              && hugetext_ranking_take (
                     &state->ranking, geo,
                     hugetext_block_text (object, geo, *block), hot)
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
  for (uintptr_t from = 0;; from = block + size)
    {
      bool more
          = (_dl_hugetext_ledger_blocks (&state->ledger, total + 1) > total
             && next_worthy (state, object, heat, from, &block, &offset));
      if (n > 0
          && (!more || offset != first + n * size || n == HUGETEXT_RUN_MAX))
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

  for (; n < 3
         && next_file_block (object, &state->set, from, &block, &offset[n]);
       ++n)
    from = block + state->set.geo.block;

  /* Try the second block rather than the first, because the loader has read
     from the first.  The kernel may be reading the second at this moment; then
     try the third.  */
  return (
      (n > 0
       && _dl_hugetext_cache_huge (&state->attempt, fd, offset[n > 1], 1) == 1)
      || (n > 2
          && _dl_hugetext_cache_huge (&state->attempt, fd, offset[2], 1)
                 == 1));
}

/* The closure of the policy's questions about an object that is being
   mapped.  */
struct question
{
  struct hugetext_state *state;
  int fd;
  const struct hugetext_identity *file;
  struct hugetext_site site;
  enum hugetext_answer stored;
};

/* Whether the store has an image of QUESTION's object.  Reads the image's
   record.  */
static bool
is_stored (struct question *question)
{
  struct hugetext_state *state = question->state;
  struct hugetext_open_index *index = &state->attempt.index;
  bool was_open = index->fd >= 0;
  if (!state->set.has.images)
    return false;
  bool stored = _dl_hugetext_find_image (
      &state->attempt, question->site.object, question->file, &state->image);
  question->site.image = state->image.image.first;
  /* Close the index again: it may be the last descriptor, and libraries are
     still to be opened.  */
  if (!was_open)
    _dl_hugetext_close_index (index);
  return stored;
}

static bool
answer (void *closure, enum hugetext_fact fact)
{
  struct question *question = closure;
  struct hugetext_state *state = question->state;
  const struct hugetext_site *site = &question->site;
  switch (fact)
    {
    case HUGETEXT_IS_TRACED:
      return _dl_hugetext_traced (&state->attempt);
    case HUGETEXT_HAS_IMAGE:
      if (question->stored == HUGETEXT_NOT_ASKED)
        question->stored = (is_stored (question) ? HUGETEXT_YES : HUGETEXT_NO);
      return question->stored == HUGETEXT_YES;
    case HUGETEXT_HAS_FILE_BLOCK:
      return try_one (state, question->fd, site->object);
    case HUGETEXT_HAS_FILE_BLOCKS:
      return cache_all (state, question->fd, site->object, &site->heat);
    default:
      return false;
    }
}

struct hugetext_site_verdict
_dl_hugetext_choose (struct hugetext_state *state, int fd,
                     const struct hugetext_identity *file,
                     struct hugetext_object *object, uint32_t heat, bool fixed,
                     struct hugetext_placement *placement)
{
  struct question question
      = { .state = state,
          .fd = fd,
          .file = file,
          .site = { .object = object,
                    .geo = &state->set.geo,
                    .pad_threshold = state->set.pad_threshold,
                    .choice = state->set.backing,
                    .heat = _dl_hugetext_heat (state->heats, heat),
                    .fixed = fixed,
                    .no_slack = state->attempt.no_slack,
                    .ask = answer,
                    .closure = &question } };
  return hugetext_choose (&question.site, placement);
}
