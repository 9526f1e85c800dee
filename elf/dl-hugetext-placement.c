/* Policy of ld-hugetext: where an object's text can lie on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions depend on their arguments alone: no system call, no
   allocation, no state, no libc.  */

#include "dl-hugetext-placement.h"

/* Return how many blocks from BLOCK on, at least 1, are alike because no part
   of OBJECT begins or ends in them: segments do not overlap, so that only zero
   fill and RELRO can begin or end in the data of a text segment.  */
static size_t
alike (const struct hugetext_object *object,
       const struct hugetext_geometry *geo, uintptr_t block)
{
  uintptr_t link = block - object->bias;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (hugetext_is_text (s) && s->datastart <= link && link < s->dataend)
        {
          uintptr_t next = s->dataend;
          if (s->fileend > link)
            next = hugetext_min (next, s->fileend);
          if (object->relro_start > link)
            next = hugetext_min (next, object->relro_start);
          else if (object->relro_end > link)
            next = hugetext_min (next, object->relro_end);
          return hugetext_max ((next - link) / geo->block, 1);
        }
    }
  return 1;
}

/* Fill in PLACEMENT's figures for OBJECT at load bias BASE + residue, where
   BASE is a multiple of the modulus that leaves room below the object.  With
   FILE_ONLY only blocks that can be the file's own count.  */
static void
evaluate (struct hugetext_object *object, const struct hugetext_geometry *geo,
          uintptr_t pad_threshold, bool file_only,
          struct hugetext_placement *placement)
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
  placement->header = false;
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
      if (hugetext_holds_header (object, block, block + n * geo->block))
        placement->header = true;
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
  residue = hugetext_round_down (residue + object->align - 1, object->align);
  return residue & (modulus - 1);
}

/* Set the residue to candidate number I for OBJECT, in order of preference;
   false if there are no more.  */
static bool
candidate (const struct hugetext_object *object,
           const struct hugetext_geometry *geo, uintptr_t modulus, size_t i,
           uintptr_t *residue)
{
  uintptr_t address = object->segment[object->nsegments - 1].end;
  if (i > object->nsegments + 2)
    return false;
  if (i == 0)
    {
      /* A residue with addresses congruent to file offsets, if text is: there
         a huge page can be the file's own.  */
      for (size_t k = 0; k < object->nsegments; ++k)
        if (hugetext_is_text (&object->segment[k]))
          {
            address = (object->segment[k].start
                       - (uintptr_t) object->segment[k].offset);
            break;
          }
    }
  else if (i <= object->nsegments)
    /* A boundary where another segment begins.  Where a run of segments that
       are not writable ends in a gap, the boundary may lie anywhere in the
       gap, so that p_align can be honoured.  */
    address = object->segment[i - 1].start;
  else if (i == object->nsegments + 1)
    /* A boundary right behind the ELF header.  */
    address = object->segment[0].start + geo->page;
  *residue = boundary_residue (object, modulus, address);
  return true;
}

/* Whether A is better than B, which has about the same text: it needs fewer
   blocks, or else leaves the ELF header alone, or else holds more, or else
   needs less slack.  */
static bool
is_better (const struct hugetext_placement *a,
           const struct hugetext_placement *b)
{
  if (a->blocks != b->blocks)
    return a->blocks < b->blocks;
  if (a->header != b->header)
    return b->header;
  if (a->text != b->text)
    return a->text > b->text;
  return a->before + a->after < b->before + b->after;
}

/* Find the placement of OBJECT with the most text at any of the hundreds of
   residues that p_align allows: text may have to be divided so that both edges
   reach the threshold, or writable segments on both sides leave a choice.  */
static void
search_all (struct hugetext_object *object,
            const struct hugetext_geometry *geo, uintptr_t pad_threshold,
            struct hugetext_placement *most)
{
  uintptr_t step = hugetext_max (geo->page, object->align);
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

/* The place of an object, saved while other places are tried: a copy of the
   object would be too large for the stacks of some threads.  */
struct position
{
  uintptr_t bias, low, high;
};

static struct position
position_of (const struct hugetext_object *object)
{
  return (struct position){ object->bias, object->low, object->high };
}

static void
put_back (struct hugetext_object *object, const struct position *position)
{
  object->bias = position->bias;
  object->low = position->low;
  object->high = position->high;
}

bool
hugetext_place (struct hugetext_object *object,
                const struct hugetext_geometry *geo, uintptr_t pad_threshold,
                struct hugetext_placement *placement)
{
  const struct position position = position_of (object);
  uintptr_t modulus = hugetext_max (geo->block, object->align);
  struct hugetext_placement most = { .modulus = modulus };
  *placement = most;

  /* Is the text enough for a block of either kind?  In most libraries it is
     not.  */
  uintptr_t text = hugetext_object_text (object);
  uintptr_t pages = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    if (hugetext_is_text (&object->segment[i]))
      pages += object->segment[i].end - object->segment[i].start;
  if (pages < geo->block && (pad_threshold == 0 || text < pad_threshold))
    return false;

  /* A difference of less than 1/128 of the text is not worth a block.  */
  uintptr_t tolerance = text / 128;
  struct hugetext_placement this = { .modulus = modulus };
  for (size_t i = 0; candidate (object, geo, modulus, i, &this.residue); ++i)
    {
      evaluate (object, geo, pad_threshold, false, &this);
      if (this.text > most.text)
        most = this;
    }
  if (most.text < text - tolerance)
    search_all (object, geo, pad_threshold, &most);

  /* Among placements with about as much text, the congruent one is preferred
     to its equals.  */
  *placement = most;
  uintptr_t enough = (most.text < text - tolerance
                          ? most.text - hugetext_min (tolerance, most.text)
                          : text - tolerance);
  bool congruent = false;
  for (size_t i = 0; candidate (object, geo, modulus, i, &this.residue); ++i)
    {
      evaluate (object, geo, pad_threshold, false, &this);
      bool equal = (this.blocks == placement->blocks
                    && this.header == placement->header
                    && this.text == placement->text);
      if (this.text >= enough
          && ((equal && i == 0)
              || (!(equal && congruent) && is_better (&this, placement))))
        {
          *placement = this;
          congruent = i == 0;
        }
    }
  put_back (object, &position);
  return placement->blocks > 0;
}

bool
hugetext_place_congruent (struct hugetext_object *object,
                          const struct hugetext_geometry *geo,
                          uintptr_t pad_threshold,
                          struct hugetext_placement *placement)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    if (hugetext_is_text (&object->segment[i]))
      {
        struct hugetext_placement this
            = { .modulus = hugetext_max (geo->block, object->align) };
        uintptr_t distance
            = object->segment[i].start - (uintptr_t) object->segment[i].offset;
        this.residue = -distance & (this.modulus - 1);
        if ((this.residue & (object->align - 1)) != 0)
          return false;
        const struct position position = position_of (object);
        evaluate (object, geo, pad_threshold, true, &this);
        put_back (object, &position);
        *placement = this;
        return this.blocks > 0;
      }
  return false;
}

void
hugetext_place_heat (struct hugetext_object *object,
                     const struct hugetext_geometry *geo,
                     uintptr_t pad_threshold, const struct hugetext_heat *heat,
                     struct hugetext_placement *placement)
{
  const struct position position = position_of (object);
  uintptr_t block;

  object->bias = placement->modulus + placement->residue;
  object->low = 0;
  object->high = UINTPTR_MAX;
  placement->heat = 0;
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &block);
       from = block + geo->block)
    {
      uint64_t hot = hugetext_block_heat (object, geo, heat, block);
      if (hot != 0
          && hugetext_block_judge (object, geo, pad_threshold, block)
                 == HUGETEXT_TAKE)
        placement->heat += hot * hot;
    }
  put_back (object, &position);
}

void
hugetext_place_by_heat (struct hugetext_object *object,
                        const struct hugetext_geometry *geo,
                        uintptr_t pad_threshold,
                        const struct hugetext_heat *heat,
                        struct hugetext_placement *placement)
{
  /* With fewer than two blocks, or without heat, there is nothing to gain.  */
  if (heat->weight == NULL || heat->granules == 0 || placement->blocks < 2)
    return;
  hugetext_place_heat (object, geo, pad_threshold, heat, placement);
  /* The measure sums up squares, because a measure with a cap would need the
     cap, which is shared with other objects.  Replayed with samples of clang,
     cc1plus and rustc at caps of 4 to 32, it comes within a point of the sum
     of the best 8 blocks, and is up to 12 points above the place with most
     text.  A gain of less than a sixteenth does not justify leaving that
     place.  */
  struct hugetext_placement best = *placement, this = *placement;
  uintptr_t step = hugetext_max (HUGETEXT_GRANULE, object->align);
  for (this.residue = 0; this.residue < this.modulus; this.residue += step)
    {
      hugetext_place_heat (object, geo, pad_threshold, heat, &this);
      if (this.heat > best.heat)
        best = this;
    }
  if (best.heat <= placement->heat + placement->heat / 16)
    return;
  const struct position position = position_of (object);
  evaluate (object, geo, pad_threshold, false, &best);
  put_back (object, &position);
  *placement = best;
}

bool
hugetext_place_at (struct hugetext_object *object,
                   const struct hugetext_geometry *geo,
                   uintptr_t pad_threshold, uintptr_t boundary,
                   struct hugetext_placement *placement)
{
  const struct position position = position_of (object);
  *placement = (struct hugetext_placement){ .modulus = hugetext_max (
                                                geo->block, object->align) };
  placement->residue = boundary_residue (object, placement->modulus, boundary);
  if (((placement->residue + boundary) & (geo->block - 1)) != 0)
    return false;
  evaluate (object, geo, pad_threshold, false, placement);
  put_back (object, &position);
  return placement->blocks > 0;
}

/* Whether the image at placement IMAGE serves as well as BEST would.  */
static bool
prefer_image (const struct hugetext_placement *image,
              const struct hugetext_placement *best)
{
  return image->text >= best->text - best->text / 20;
}

/* Whether the file's own huge pages at CONGRUENT are worth more than the
   copies that BEST needs.  */
static bool
prefer_congruent (const struct hugetext_placement *congruent,
                  const struct hugetext_placement *best)
{
  /* The file's own pages cost no memory and keep every tool working, which is
     worth a twentieth of the text, or of its heat, which is squared.  */
  return (congruent->text >= best->text - best->text / 20
          && congruent->heat >= best->heat - best->heat / 10);
}

static bool
ask (const struct hugetext_site *site, enum hugetext_fact fact)
{
  return site->ask (site->closure, fact);
}

static bool
has_image (const struct hugetext_site *site)
{
  return (hugetext_may_use_store (site->choice)
          && ask (site, HUGETEXT_HAS_IMAGE));
}

/* Change PLACEMENT to the place that fits the object's image.  False if there
   is no image, or if it serves much less text.  */
static bool
follow_image (const struct hugetext_site *site,
              struct hugetext_placement *placement)
{
  struct hugetext_placement there;
  if (!has_image (site)
      || !hugetext_place_at (site->object, site->geo, site->pad_threshold,
                             site->image, &there)
      || !prefer_image (&there, placement))
    return false;
  *placement = there;
  return true;
}

/* Set CONGRUENT to the place where the text of SITE's object can be huge pages
   of its file.  False if PLACEMENT, which may change, is better.  */
static bool
suits_file (const struct hugetext_site *site,
            struct hugetext_placement *placement,
            struct hugetext_placement *congruent)
{
  if (!hugetext_place_congruent (site->object, site->geo, site->pad_threshold,
                                 congruent))
    return false;
  if (placement->heat != 0)
    hugetext_place_heat (site->object, site->geo, site->pad_threshold,
                         &site->heat, congruent);
  if (site->choice != HUGETEXT_FILE
      && !prefer_congruent (congruent, placement))
    return false;
  /* Blocks that are not in the file would be copies.  */
  return (congruent->text >= placement->text
          || !follow_image (site, placement));
}

/* Whether SITE's object takes the place that fits its file's huge pages.
   Changes PLACEMENT in either case.  */
static bool
choose_file (const struct hugetext_site *site,
             struct hugetext_placement *placement)
{
  struct hugetext_placement congruent;
  if (!hugetext_may_use_file (site->choice))
    return false;
  /* Images are made for the place with most text in blocks at the default
     threshold.  */
  if (!site->fixed && site->pad_threshold != HUGETEXT_PAD_DEFAULT)
    follow_image (site, placement);
  if ((!site->fixed && !suits_file (site, placement, &congruent))
      || ask (site, HUGETEXT_IS_TRACED))
    return false;

  site->object->bias
      = (site->fixed ? 0 : congruent.modulus + congruent.residue);
  site->object->low = 0;
  site->object->high = UINTPTR_MAX;
  if (!ask (site, HUGETEXT_HAS_FILE_BLOCK)
      || (!ask (site, HUGETEXT_HAS_FILE_BLOCKS) && !site->fixed
          && follow_image (site, placement)))
    return false;
  if (!site->fixed)
    *placement = congruent;
  return true;
}

struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement)
{
  struct hugetext_site_verdict verdict = { .stays = site->fixed };
  /* An image fits only the place that it was made for.  */
  if (!site->fixed && site->heat.weight != NULL && !has_image (site))
    hugetext_place_by_heat (site->object, site->geo, site->pad_threshold,
                            &site->heat, placement);
  verdict.file = choose_file (site, placement);
  if (!site->fixed && site->no_slack && hugetext_has_slack (placement))
    verdict = (struct hugetext_site_verdict){ .stays = true };
  return verdict;
}
