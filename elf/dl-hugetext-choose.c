/* The search for an object's place: the text that page cache and store have
   for each place.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy (dl-hugetext-placement.c) asks, and this file has the answers.
   The loader tries whether the file's own pages can be had before it touches
   the object: the first access to the object's data makes the kernel read
   megabytes around them in small pages.  */

#include "dl-hugetext-work.h"

/* The closure of the policy's questions about an object that is being
   placed.  */
struct question
{
  struct hugetext_state *state;
  int fd;
  const struct hugetext_identity *file;
  struct hugetext_site site;
  enum hugetext_answer stored;
};

/* Find the next block of SITE's object, at its present load bias, that may be
   taken and can be a page of its own file; not one that is known to be cold,
   if WARM is wanted.  */
static bool
next_file_block (const struct hugetext_site *site, bool warm, uintptr_t from,
                 struct hugetext_block *block)
{
  uintptr_t at;
  for (; hugetext_next_block (site->object, site->geo, from, &at);
       from = at + site->geo->block)
    {
      struct hugetext_block judged = hugetext_block_judge (
          site->object, site->geo, site->pad_threshold, at);
      if (judged.verdict != HUGETEXT_TAKE || !judged.congruent
          || (warm
              && hugetext_block_heat (site->object, site->geo, &site->heat, at)
                     == 0))
        continue;
      *block = judged;
      return true;
    }
  return false;
}

/* Have N blocks from OFFSET of the file cached in huge pages, as far as
   possible.  Return how many are.  */
static size_t
cache_huge (const struct question *question, uint64_t offset, size_t n)
{
  return _dl_hugetext_cache_huge (&question->state->attempt, question->fd,
                                  question->file->size, offset, n);
}

/* Have all those blocks but cold ones cached in huge pages, up to the cap.
   False if some are not.  */
static bool
cache_all (const struct question *question)
{
  struct hugetext_state *state = question->state;
  size_t size = state->set.geo.block, n = 0, total = 0, cached = 0;
  struct hugetext_block block;
  uint64_t first = 0;
  for (uintptr_t from = 0;
       _dl_hugetext_ledger_blocks (&state->ledger, total + 1) > total
       && next_file_block (&question->site, true, from, &block);
       from = block.start + size, ++total)
    {
      if (n > 0 && (block.offset != first + n * size || n == HUGETEXT_RUN_MAX))
        {
          cached += cache_huge (question, first, n);
          n = 0;
        }
      if (n++ == 0)
        first = block.offset;
    }
  if (n > 0)
    cached += cache_huge (question, first, n);
  return cached == total;
}

/* Whether one of those blocks is cached in a huge page or can be: the second
   rather than the first, because the loader has read from the first.  The
   kernel may be reading the second at this moment; then the third.  */
static bool
try_one (const struct question *question)
{
  const uintptr_t size = question->site.geo->block;
  struct hugetext_block block;
  size_t n = 0;
  for (uintptr_t from = 0;
       n < 3 && next_file_block (&question->site, false, from, &block);
       from = block.start + size, ++n)
    if (n > 0 && cache_huge (question, block.offset, 1) == 1)
      return true;
  return n == 1 && cache_huge (question, block.offset, 1) == 1;
}

/* Whether the store has an image of QUESTION's object.  */
static bool
is_stored (const struct question *question)
{
  struct hugetext_state *state = question->state;
  return (state->set.has.images
          && _dl_hugetext_find_image (&state->attempt, question->site.object,
                                      question->file, &state->image));
}

static bool
answer (void *closure, enum hugetext_fact fact)
{
  struct question *question = closure;
  switch (fact)
    {
    case HUGETEXT_IS_TRACED:
      return _dl_hugetext_traced (&question->state->attempt);
    case HUGETEXT_HAS_IMAGE:
      if (question->stored == HUGETEXT_NOT_ASKED)
        question->stored = (is_stored (question) ? HUGETEXT_YES : HUGETEXT_NO);
      return question->stored == HUGETEXT_YES;
    case HUGETEXT_HAS_FILE_BLOCK:
      return try_one (question);
    case HUGETEXT_HAS_FILE_BLOCKS:
      return cache_all (question);
    default:
      return false;
    }
}

bool
_dl_hugetext_place (struct hugetext_state *state,
                    struct hugetext_placement *placement)
{
  const struct hugetext_site site
      = { .object = &state->object,
          .geo = &state->set.geo,
          .pad_threshold = state->set.pad_threshold };
  return hugetext_place (&site, placement);
}

struct hugetext_record *
_dl_hugetext_begin_object (struct hugetext_state *state, struct link_map *l,
                           int fd)
{
  struct hugetext_record *record = _dl_hugetext_remember (state, l);
  if (record == NULL)
    return NULL;
  _dl_hugetext_begin (&state->attempt);
  _dl_hugetext_note_file (&record->file, l, fd);
  record->digest = hugetext_object_digest (&state->object);
  if (state->set.has.heats)
    record->heat = _dl_hugetext_learn_heat (&state->heats, &record->file.file,
                                            record->digest);
  /* Unless the loader tries it.  */
  record->file_ruled_out = true;
  return record;
}

bool
_dl_hugetext_choose (struct hugetext_state *state, int fd,
                     struct hugetext_record *record, bool fixed,
                     struct hugetext_placement *placement)
{
  struct question question
      = { .state = state,
          .fd = fd,
          .file = &record->file.file,
          .site = { .object = &state->object,
                    .geo = &state->set.geo,
                    .pad_threshold = state->set.pad_threshold,
                    .choice = state->set.backing,
                    .heat = _dl_hugetext_heat (state->heats, record->heat),
                    .fixed = fixed,
                    .no_slack = state->attempt.no_slack,
                    .ask = answer,
                    .closure = &question } };
  struct hugetext_site_verdict verdict
      = hugetext_choose (&question.site, placement);
  record->file_ruled_out = !verdict.file;
  return !verdict.stays;
}
