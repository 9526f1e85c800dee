/* Policy of ld-hugetext: which huge pages an object's text should get.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Pure functions of their arguments: no system call, no allocation, no
   state, no libc.  dl-hugetext-plan.h explains the model.  */

#include "dl-hugetext-plan.h"

static uintptr_t
round_down (uintptr_t value, uintptr_t unit)
{
  return value & -unit;
}

static uintptr_t
min_of (uintptr_t a, uintptr_t b)
{
  return a < b ? a : b;
}

static uintptr_t
max_of (uintptr_t a, uintptr_t b)
{
  return a > b ? a : b;
}

/* Length of what [A_START, A_END) and [B_START, B_END) have in common.  */
static uintptr_t
overlap (uintptr_t a_start, uintptr_t a_end, uintptr_t b_start,
         uintptr_t b_end)
{
  uintptr_t start = max_of (a_start, b_start);
  uintptr_t end = min_of (a_end, b_end);
  return start < end ? end - start : 0;
}

struct hugetext_geometry
hugetext_geometry (uintptr_t page)
{
  uintptr_t block = page * (page / sizeof (uint64_t));
  return (struct hugetext_geometry)
    { page, block <= HUGETEXT_BLOCK_MAX ? block : 0 };
}

uintptr_t
hugetext_threshold (const struct hugetext_geometry *geo, uintptr_t threshold)
{
  /* So much else would be taken along with a little text.  */
  return (geo->block <= HUGETEXT_BLOCK_USUAL || threshold == 0
          ? threshold : max_of (threshold, geo->block / 2));
}

static bool
is_text (const struct hugetext_segment *segment)
{
  return segment->exec && !segment->write;
}

const char *
hugetext_object_check (const struct hugetext_object *object,
                       const struct hugetext_geometry *geo)
{
  uintptr_t last = 0;
  uintptr_t blocks = 0;

  if (object->nsegments == 0)
    return "it has no segments";
  if (object->nsegments > HUGETEXT_SEGMENTS_MAX)
    return "it has too many segments";
  if (object->align == 0 || (object->align & (object->align - 1)) != 0)
    return "its p_align is not a power of two";

  /* Blocks are rounded outwards, and alignment adds slack: keep a whole
     modulus free at both ends of the address space.  */
  uintptr_t margin = max_of (geo->block, object->align);
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (s->start >= s->end || s->fileend < s->start || s->fileend > s->end
          || s->datastart < s->start || s->dataend < s->datastart
          || s->dataend > s->end)
        return "a segment has no extent";
      if (((s->start | s->end | s->fileend | s->offset) & (geo->page - 1))
          != 0)
        return "a segment is not page-aligned";
      if (i > 0 && s->start < last)
        return "its segments overlap or do not ascend";
      last = s->end;
      if (is_text (s))
        blocks += (s->end - s->start) / geo->block + 2;
      if (blocks > HUGETEXT_BLOCKS_MAX)
        return "its text is too large";
    }
  if (last > UINTPTR_MAX / 4 || margin > UINTPTR_MAX / 4)
    return "it does not fit the address space";
  /* The end may lie above the last segment: lld pads RELRO.  */
  if (object->relro_start > object->relro_end)
    return "its RELRO has no extent";
  if (object->relro_start != object->relro_end
      && (object->relro_start < object->segment[0].start
          || object->relro_end > UINTPTR_MAX / 4))
    return "its RELRO lies outside of it";
  return NULL;
}

uintptr_t
hugetext_object_text (const struct hugetext_object *object)
{
  uintptr_t text = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    if (is_text (&object->segment[i]))
      text += object->segment[i].dataend - object->segment[i].datastart;
  return text;
}

uintptr_t
hugetext_block_text (const struct hugetext_object *object,
                     const struct hugetext_geometry *geo, uintptr_t block)
{
  uintptr_t text = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (is_text (s))
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
      uintptr_t start = max_of (s->datastart + object->bias, from);
      if (is_text (s) && start < s->dataend + object->bias)
        {
          *block = round_down (start, geo->block);
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
      if (is_text (s) && !s->read
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
      if (is_text (s))
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
  uintptr_t unit = max_of (geo->block / HUGETEXT_RANKS, 1);
  uintptr_t rank = (text + unit - 1) / unit;
  return min_of (rank, HUGETEXT_RANKS);
}

void
hugetext_ranking_init (struct hugetext_ranking *ranking)
{
  for (size_t i = 0; i <= HUGETEXT_RANKS; ++i)
    ranking->count[i] = 0;
  ranking->cut = 0;
  ranking->ties = 0;
}

void
hugetext_ranking_add (struct hugetext_ranking *ranking,
                      const struct hugetext_geometry *geo, uintptr_t text)
{
  ++ranking->count[rank_of (geo, text)];
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
  if (rank != ranking->cut)
    return rank > ranking->cut;
  if (ranking->ties == 0)
    return false;
  --ranking->ties;
  return true;
}

/* How many blocks from BLOCK on, at least 1, are alike because nothing of
   OBJECT begins or ends in them: segments do not overlap, so that in the data
   of a text segment only its zero fill and RELRO can.  */
static size_t
alike (const struct hugetext_object *object,
       const struct hugetext_geometry *geo, uintptr_t block)
{
  uintptr_t link = block - object->bias;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (is_text (s) && s->datastart <= link && link < s->dataend)
        {
          uintptr_t next = s->dataend;
          if (s->fileend > link)
            next = min_of (next, s->fileend);
          if (object->relro_start > link)
            next = min_of (next, object->relro_start);
          else if (object->relro_end > link)
            next = min_of (next, object->relro_end);
          return max_of ((next - link) / geo->block, 1);
        }
    }
  return 1;
}

/* Fill in PLACEMENT's figures for OBJECT at load bias BASE + residue, where
   BASE is a multiple of the modulus that leaves room below the object.  With
   FILE_ONLY only blocks that can be the file's own count.  */
static void
evaluate (struct hugetext_object *object,
          const struct hugetext_geometry *geo, uintptr_t pad_threshold,
          bool file_only, struct hugetext_placement *placement)
{
  uintptr_t start, end, block;
  uint64_t offset;
  size_t n;

  object->bias = placement->modulus + placement->residue;
  start = object->segment[0].start + object->bias;
  end = object->segment[object->nsegments - 1].end + object->bias;
  object->low = 0;
  object->high = UINTPTR_MAX;

  placement->text = 0;
  placement->blocks = 0;
  placement->before = 0;
  placement->after = 0;
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &block);
       from = block + n * geo->block)
    {
      n = alike (object, geo, block);
      if (hugetext_block_judge (object, geo, pad_threshold, block)
          != HUGETEXT_TAKE
          || (file_only
              && !hugetext_block_file_offset (object, geo, block, &offset)))
        continue;
      placement->text += n * hugetext_block_text (object, geo, block);
      placement->blocks += n;
      if (block < start)
        placement->before = start - block;
      if (block + geo->block > end)
        placement->after = block + geo->block - end;
    }
}

/* The first residue p_align allows that puts link-time address ADDRESS on a
   block boundary or above it.  */
static uintptr_t
boundary_residue (const struct hugetext_object *object, uintptr_t modulus,
                  uintptr_t address)
{
  uintptr_t residue = -address & (modulus - 1);
  residue = round_down (residue + object->align - 1, object->align);
  return residue & (modulus - 1);
}

/* Candidate number I for the residue of OBJECT, in order of preference; false
   if there are no more.  */
static bool
candidate (const struct hugetext_object *object, uintptr_t modulus, size_t i,
           uintptr_t *residue)
{
  uintptr_t address = object->segment[object->nsegments - 1].end;
  if (i > object->nsegments + 1)
    return false;
  if (i == 0)
    {
      /* Where addresses are congruent to file offsets, if text is: with it,
         a huge page can be the file's own.  */
      for (size_t k = 0; k < object->nsegments; ++k)
        if (is_text (&object->segment[k]))
          {
            address = (object->segment[k].start
                       - (uintptr_t) object->segment[k].offset);
            break;
          }
    }
  else if (i <= object->nsegments)
    /* A boundary where something else begins.  Where a run of segments that
       are not writable ends in a gap, the boundary may lie anywhere in the
       gap, which is what lets p_align be honoured.  */
    address = object->segment[i - 1].start;
  *residue = boundary_residue (object, modulus, address);
  return true;
}

/* Whether A is better than B, which has about the same text: it needs fewer
   blocks, or else holds more, or else needs less slack.  */
static bool
is_better (const struct hugetext_placement *a,
           const struct hugetext_placement *b)
{
  if (a->blocks != b->blocks)
    return a->blocks < b->blocks;
  if (a->text != b->text)
    return a->text > b->text;
  return a->before + a->after < b->before + b->after;
}

/* The placement of OBJECT with most text at any residue that p_align allows.
   Hundreds of them: text may have to be divided so that both of its edges
   reach the threshold, or writable segments on two sides of it leave a
   choice of what to lose.  */
static void
search_all (struct hugetext_object *object,
            const struct hugetext_geometry *geo, uintptr_t pad_threshold,
            struct hugetext_placement *most)
{
  uintptr_t step = max_of (geo->page, object->align);
  for (uintptr_t residue = 0; residue < most->modulus; residue += step)
    {
      struct hugetext_placement this
        = { .residue = residue, .modulus = most->modulus };
      evaluate (object, geo, pad_threshold, false, &this);
      if (this.text > most->text
          || (this.text == most->text && is_better (&this, most)))
        *most = this;
    }
}

bool
hugetext_place (const struct hugetext_object *object,
                const struct hugetext_geometry *geo, uintptr_t pad_threshold,
                struct hugetext_placement *placement)
{
  struct hugetext_object copy = *object;
  uintptr_t modulus = max_of (geo->block, object->align);
  struct hugetext_placement most = { .modulus = modulus };
  *placement = most;

  /* Enough for a block of either kind?  Most libraries are not.  */
  uintptr_t text = hugetext_object_text (object);
  uintptr_t pages = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    if (is_text (&object->segment[i]))
      pages += object->segment[i].end - object->segment[i].start;
  if (pages < geo->block && (pad_threshold == 0 || text < pad_threshold))
    return false;

  /* Less than a hundredth of the text is not worth a block.  */
  uintptr_t tolerance = text / 128;
  struct hugetext_placement this = { .modulus = modulus };
  for (size_t i = 0; candidate (object, modulus, i, &this.residue); ++i)
    {
      evaluate (&copy, geo, pad_threshold, false, &this);
      if (this.text > most.text)
        most = this;
    }
  if (most.text < text - tolerance)
    search_all (&copy, geo, pad_threshold, &most);

  /* Among those with about as much text, the congruent one before its
     equals.  */
  *placement = most;
  uintptr_t enough = (most.text < text - tolerance
                      ? most.text - min_of (tolerance, most.text)
                      : text - tolerance);
  bool congruent = false;
  for (size_t i = 0; candidate (object, modulus, i, &this.residue); ++i)
    {
      evaluate (&copy, geo, pad_threshold, false, &this);
      bool equal = (this.blocks == placement->blocks
                    && this.text == placement->text);
      if (this.text >= enough
          && ((equal && i == 0)
              || (!(equal && congruent) && is_better (&this, placement))))
        {
          *placement = this;
          congruent = i == 0;
        }
    }
  return placement->blocks > 0;
}

bool
hugetext_place_congruent (const struct hugetext_object *object,
                          const struct hugetext_geometry *geo,
                          uintptr_t pad_threshold,
                          struct hugetext_placement *placement)
{
  struct hugetext_object copy = *object;
  for (size_t i = 0; i < object->nsegments; ++i)
    if (is_text (&object->segment[i]))
      {
        struct hugetext_placement this
          = { .modulus = max_of (geo->block, object->align) };
        uintptr_t distance
          = object->segment[i].start - (uintptr_t) object->segment[i].offset;
        this.residue = -distance & (this.modulus - 1);
        if ((this.residue & (object->align - 1)) != 0)
          return false;
        evaluate (&copy, geo, pad_threshold, true, &this);
        *placement = this;
        return this.blocks > 0;
      }
  return false;
}

bool
hugetext_prefer_congruent (const struct hugetext_placement *congruent,
                           const struct hugetext_placement *best)
{
  /* The file's own pages cost no memory and keep every tool working: worth
     a twentieth of the text.  */
  return congruent->text >= best->text - best->text / 20;
}
