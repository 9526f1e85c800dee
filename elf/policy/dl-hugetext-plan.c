/* Policy of ld-hugetext: which blocks of an object's text should be huge?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include <string.h>

#include "dl-hugetext-plan.h"

/* Return how many bytes of OBJECT's range [START, END) are in BLOCK.  START
   and END are link-time addresses; BLOCK is a run-time address.  */
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
  /* If blocks are larger than usual, a threshold of 64 KiB would allow
     copying much other data for little text.  */
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
  uintptr_t all = 0;        /* Bytes in the block that belong to pages of
                               segments.  */
  uintptr_t text_pages = 0; /* Bytes in the block that belong to pages with
                               text.  */
  uintptr_t readable = 0;   /* Bytes in the block that belong to pages with
                               read permission.  */
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      uintptr_t pages = within (object, geo, start, s->start, s->end);
      if (pages == 0)
        continue;
      /* The file offset that corresponds to the block's first byte.  If the
         block begins before the segment, extrapolate the file offset; a
         negative offset wraps around.  */
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
        /* A segment without any permission must not become readable or
           executable.  */
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

/* Return the rank of a block with TEXT bytes of text: 1 for a page of text or
   less, up to HUGETEXT_RANKS for a full block.  */
static uint32_t
rank_of (const struct hugetext_geometry *geo, uintptr_t text)
{
  uintptr_t unit = hugetext_max (geo->block / HUGETEXT_RANKS, 1);
  return hugetext_min ((text + unit - 1) / unit, HUGETEXT_RANKS);
}

/* Return the value of BLOCK in the ranking; a better block has a higher value.
   If the block's heat is known and not 0, the heat determines the block's
   value; otherwise the block's bytes of text determine the value.  */
static uint32_t
value_of (const struct hugetext_geometry *geo,
          const struct hugetext_candidate *block)
{
  const uint32_t rank
      = (rank_of (geo, block->text) + (block->free ? HUGETEXT_VALUE_FREE : 0));
  if (block->heat == HUGETEXT_HEAT_UNKNOWN)
    return HUGETEXT_VALUE_UNKNOWN + rank;
  return block->heat == 0 ? rank : hugetext_heat_value (block->heat);
}

/* Return the weight of BLOCK for computing what it costs to keep a name.  The
   weight is the block's heat, or its bytes of text if its heat is unknown.  */
static uint64_t
worth_of (const struct hugetext_candidate *block)
{
  return (block->heat == HUGETEXT_HEAT_UNKNOWN ? block->text : block->heat);
}

struct hugetext_name
hugetext_name_blocks (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold,
                      const struct hugetext_heat *heat,
                      enum hugetext_naming naming)
{
  const struct hugetext_name none = { HUGETEXT_NO_BLOCK, HUGETEXT_NO_BLOCK };
  struct hugetext_name name = none;
  uintptr_t at;
  uint32_t least = UINT32_MAX;
  uint64_t all = 0, header = 0, text = 0; /* Results of worth_of: ALL is the
                                             sum for all blocks, HEADER the
                                             result for block NAME.header, and
                                             TEXT the result for block
                                             NAME.text.  */
  bool stays = false;
  if (naming == HUGETEXT_NAMES_NO)
    return none;
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &at);
       from = at + geo->block)
    {
      struct hugetext_block block
          = hugetext_block_judge (object, geo, pad_threshold, at);
      const struct hugetext_candidate candidate
          = { .text = block.text,
              .heat = hugetext_block_heat (object, geo, heat, at) };
      const uint64_t worth = worth_of (&candidate);
      const uint32_t value = value_of (geo, &candidate);
      if (block.verdict != HUGETEXT_TAKE)
        {
          stays |= block.text != 0;
          continue;
        }
      all += worth;
      if (hugetext_holds_header (object, at, at + geo->block))
        {
          name.header = at;
          header = worth;
        }
      else if (value <= least)
        {
          /* If several blocks have the lowest value, choose the last of them.
             (Among blocks of equal value, the ranking also prefers the earlier
             ones.)  */
          least = value;
          name.text = at;
          text = worth;
        }
    }
  if (stays || name.header != HUGETEXT_NO_BLOCK)
    {
      name.text = HUGETEXT_NO_BLOCK;
      text = 0;
    }
  return (naming == HUGETEXT_NAMES_CHEAPLY
                  && (header + text) * HUGETEXT_NAME_SHARE > all
              ? none
              : name);
}

bool
hugetext_hides_text (const struct hugetext_object *object,
                     const struct hugetext_block *block,
                     enum hugetext_naming shows)
{
  if (shows == HUGETEXT_NAMES_NO || !block->congruent)
    return false;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      const uintptr_t start = s->start + object->bias;
      if (hugetext_is_text (s) && start <= block->start
          && block->start < s->end + object->bias)
        return false;
      if (shows == HUGETEXT_NAMES_CHEAPLY && start == block->start)
        return false;
    }
  return true;
}

enum hugetext_naming
hugetext_shows_text (const struct hugetext_object *object,
                     const struct hugetext_geometry *geo,
                     uintptr_t pad_threshold, const struct hugetext_heat *heat,
                     enum hugetext_naming naming)
{
  uint64_t all = 0, hidden = 0; /* The results of worth_of: the sums for all
                                   blocks, and for those that hide text.  */
  uintptr_t at;
  if (naming != HUGETEXT_NAMES_CHEAPLY)
    return naming;
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &at);
       from = at + geo->block)
    {
      const struct hugetext_block block
          = hugetext_block_judge (object, geo, pad_threshold, at);
      const struct hugetext_candidate candidate
          = { .text = block.text,
              .heat = hugetext_block_heat (object, geo, heat, at) };
      if (block.verdict != HUGETEXT_TAKE)
        continue;
      all += worth_of (&candidate);
      if (hugetext_hides_text (object, &block, naming))
        hidden += worth_of (&candidate);
    }
  return hidden * HUGETEXT_SHOWN_SHARE > all ? HUGETEXT_NAMES_NO : naming;
}

/* Return a pointer to the counter of VALUE in RANKING.  The array begins with
   the counters of blocks whose heat is unknown, because most program starts
   use only the counters of these blocks.  In this order, a start touches fewer
   pages of memory.  (Each touched page costs a microsecond.)  */
static uint32_t *
count_of (struct hugetext_ranking *ranking, int value)
{
  return &ranking->count[(value + HUGETEXT_VALUES_OF_BLOCKS
                          - HUGETEXT_VALUE_UNKNOWN)
                         % HUGETEXT_VALUES_OF_BLOCKS];
}

/* Return true if VALUE is the value of a hot block.  */
static bool
is_hot (uint32_t value)
{
  return value
         > (HUGETEXT_VALUE_UNKNOWN + HUGETEXT_RANKS + HUGETEXT_VALUE_FREE);
}

/* Return true if VALUE is the value of a cold block, whose heat is known to be
   0.  */
static bool
is_cold (uint32_t value)
{
  return value <= HUGETEXT_VALUE_TEPID;
}

/* Return true if RANKING may count and choose a block with TEXT bytes of text
   and the value VALUE.  */
static bool
is_eligible (const struct hugetext_ranking *ranking, uintptr_t text,
             uint32_t value)
{
  return ((text >= ranking->least && text >= ranking->required
           && !(ranking->late && is_cold (value)))
          || is_hot (value));
}

/* Return the value of a block of unknown heat that contains only text (a full
   block).  FREE is true if the block uses no memory of its process.  */
static int
value_of_full (bool free)
{
  return (HUGETEXT_VALUE_UNKNOWN + HUGETEXT_RANKS
          + (free ? HUGETEXT_VALUE_FREE : 0));
}

/* Return the value of BLOCK, the next block of the current object.  */
static int
value_of_next (const struct hugetext_ranking *ranking,
               const struct hugetext_geometry *geo,
               const struct hugetext_candidate *block)
{
  const int value = value_of (geo, block);
  return (value == value_of_full (false)
                  && ranking->nfull[true] < HUGETEXT_FIRST_BLOCKS
              ? value_of_full (true)
              : value);
}

/* Return true if VALUE is the value that the ranking gives to a full block of
   unknown heat.  Set *FREE to true if blocks with VALUE use no memory of their
   process, otherwise to false.  */
static bool
plan_is_full_value (int value, bool *free)
{
  *free = value == value_of_full (true);
  return *free || value == value_of_full (false);
}

/* Count one more full block (a block that contains only text) of the current
   object.  FREE is true if the ranking treats the block as a block that uses
   no memory of its process (value_of_next).  There is one count for FREE and
   one for not FREE.  Return the count before this call, but at most
   HUGETEXT_LEVELS - 1.  */
static uint32_t
next_full (struct hugetext_ranking *ranking, bool free)
{
  return hugetext_min (ranking->nfull[free]++, HUGETEXT_LEVELS - 1);
}

void
hugetext_ranking_init (struct hugetext_ranking *ranking)
{
  if (ranking->total != 0)
    {
      memset (ranking->count, 0, sizeof ranking->count);
      memset (ranking->reach, 0, sizeof ranking->reach);
    }
  ranking->total = ranking->least = ranking->required = 0;
  ranking->returned = 0;
  ranking->share = SIZE_MAX;
  ranking->left = UINT32_MAX;
  ranking->cut = -1;
  ranking->small = ranking->shared = ranking->scarce = ranking->late = false;
  hugetext_ranking_next_object (ranking);
}

void
hugetext_ranking_keep_free (struct hugetext_ranking *ranking,
                            const struct hugetext_geometry *geo, size_t used,
                            size_t cap)
{
  /* The minimum number of bytes of text is three quarters of a block times
     USED / CAP (doc/experiments/choice-of-blocks).  If CAP times 4 overflows,
     CAP is so large that there is no minimum.  */
  uintptr_t whole;
  ranking->least = (__builtin_mul_overflow (cap, 4, &whole) || whole == 0
                        ? 0
                        : 3 * geo->block * used / whole);
  const size_t left = cap > used ? cap - used : 0;
  ranking->share = left - left / 8;
}

void
hugetext_ranking_require (struct hugetext_ranking *ranking, uintptr_t text)
{
  ranking->required = text;
}

void
hugetext_ranking_next_object (struct hugetext_ranking *ranking)
{
  ranking->nfull[false] = ranking->nfull[true] = 0;
}

void
hugetext_ranking_add (struct hugetext_ranking *ranking,
                      const struct hugetext_geometry *geo,
                      const struct hugetext_candidate *block)
{
  const int value = value_of_next (ranking, geo, block);
  bool free;
  if (!is_eligible (ranking, block->text, value))
    return;
  if (plan_is_full_value (value, &free))
    ++ranking->reach[free][next_full (ranking, free)];
  ++*count_of (ranking, value);
  ++ranking->total;
}

/* Divide BUDGET huge pages among the objects of RANKING, for the blocks whose
   value is exactly RANKING's CUT.  (The ranking chooses all blocks with a
   value above CUT, and no block with a value below CUT.)  Set LEVEL to the
   number of full blocks with the value CUT that the ranking chooses from each
   object.  From an object with fewer such blocks, the ranking chooses all of
   them.  Set TIES to the number of huge pages that are left.  The remaining
   huge pages go to further blocks with the value CUT, in the order of the
   objects; each object gets at most one more full block.  */
static void
share_out (struct hugetext_ranking *ranking, size_t budget)
{
  bool free;
  ranking->level = 0;
  if (plan_is_full_value (ranking->cut, &free))
    for (const uint16_t *reach = ranking->reach[free];
         ranking->level < HUGETEXT_LEVELS - 1 && reach[ranking->level] > 0
         && reach[ranking->level] <= budget;
         ++ranking->level)
      budget -= reach[ranking->level];
  ranking->ties = budget;
}

void
hugetext_ranking_cut (struct hugetext_ranking *ranking, size_t budget)
{
  ranking->cut = -1;
  ranking->shared = false;
  ranking->left = hugetext_min (budget, UINT32_MAX);
  if (ranking->total <= budget)
    return;
  ranking->cut = HUGETEXT_VALUES_OF_BLOCKS - 1;
  for (; ranking->cut >= 0; --ranking->cut)
    {
      if (!is_hot (ranking->cut) && budget > ranking->share)
        {
          budget = ranking->share;
          ranking->shared = true;
        }
      if (*count_of (ranking, ranking->cut) > budget)
        break;
      budget -= *count_of (ranking, ranking->cut);
      if (!is_hot (ranking->cut))
        ranking->share -= *count_of (ranking, ranking->cut);
    }
  share_out (ranking, budget);
}

/* If the value of BLOCK is among the best values, return HUGETEXT_TAKE,
   otherwise the reason why the block is not chosen.  */
static enum hugetext_reason
judge_value (struct hugetext_ranking *ranking,
             const struct hugetext_geometry *geo,
             const struct hugetext_candidate *block)
{
  if (ranking->small)
    return HUGETEXT_SMALL_PROGRAM;
  const int value = value_of_next (ranking, geo, block);
  bool tie = value == ranking->cut, free;
  if (!is_eligible (ranking, block->text, value))
    return (block->text < ranking->required    ? HUGETEXT_SMALL_PROGRAM
            : ranking->late && is_cold (value) ? HUGETEXT_COLD
                                               : HUGETEXT_KEPT_FREE);
  if (plan_is_full_value (value, &free))
    {
      const uint32_t number = next_full (ranking, free);
      if (tie && number < ranking->level)
        return HUGETEXT_TAKE;
      tie = tie && number == ranking->level;
    }
  if (tie && ranking->ties > 0)
    {
      --ranking->ties;
      return HUGETEXT_TAKE;
    }
  return (value > ranking->cut                 ? HUGETEXT_TAKE
          : ranking->shared && !is_hot (value) ? HUGETEXT_KEPT_FREE
                                               : HUGETEXT_OVER_CAP);
}

enum hugetext_reason
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo,
                       const struct hugetext_candidate *block)
{
  const enum hugetext_reason reason = judge_value (ranking, geo, block);
  if (reason == HUGETEXT_OVER_CAP)
    return hugetext_ranking_reuse (ranking) ? HUGETEXT_TAKE : reason;
  if (reason != HUGETEXT_TAKE)
    return reason;
  if (ranking->left == 0)
    return HUGETEXT_OVER_CAP;
  --ranking->left;
  return HUGETEXT_TAKE;
}

void
hugetext_ranking_return (struct hugetext_ranking *ranking, size_t n)
{
  ranking->returned += n;
  ranking->left = hugetext_min (ranking->left + n, UINT32_MAX);
}

bool
hugetext_ranking_reuse (struct hugetext_ranking *ranking)
{
  if (ranking->returned == 0 || ranking->left == 0)
    return false;
  --ranking->returned;
  --ranking->left;
  return true;
}
