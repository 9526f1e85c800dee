/* Policy of ld-hugetext: at which address should an object be, so that its
   text can use huge pages?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include "dl-hugetext-placement.h"

/* The blocks that the function "evaluate" counts, and the members of a
   placement that it computes.  */
enum figures
{
  OF_ALL,      /* Count all blocks that can be huge.  */
  OF_HEAT,     /* Count all blocks that can be huge, and also compute the
                  member HEAT of the placement.  */
  OF_THE_FILE, /* Count only blocks that can be huge pages of the object's own
                  file.  */
  OF_WORTH /* Count blocks that can be huge pages of the object's own file, and
              blocks that are worth the memory of a copy.  */
};

/* Return true if FIGURES counts BLOCK, a block of SITE's object that can be
   huge.  */
static bool
placement_counts_block (const struct hugetext_site *site, enum figures figures,
                        const struct hugetext_block *block)
{
  switch (figures)
    {
    case OF_THE_FILE:
      return block->congruent;
    case OF_WORTH:
      return block->congruent || block->text >= site->copy_text;
    default:
      return true;
    }
}

/* Compute the members of PLACEMENT for SITE's object.  FIGURES says which
   blocks to count.  On entry, PLACEMENT has a residue and a modulus.  */
static void
evaluate (const struct hugetext_site *site, enum figures figures,
          struct hugetext_placement *placement)
{
  const struct hugetext_geometry *geo = site->geo;
  struct hugetext_object *object = site->object;
  const uintptr_t bias = object->bias, low = object->low, high = object->high;
  uintptr_t at;

  *placement
      = (struct hugetext_placement){ .residue = placement->residue,
                                     .modulus = placement->modulus,
                                     .congruent = placement->congruent };
  object->bias = placement->modulus + placement->residue;
  object->low = 0;
  object->high = UINTPTR_MAX;
  uintptr_t start = hugetext_object_start (object) + object->bias;
  uintptr_t end = start + hugetext_object_length (object);
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &at);
       from = at + geo->block)
    {
      struct hugetext_block block
          = hugetext_block_judge (object, geo, site->pad_threshold, at);
      if (block.verdict != HUGETEXT_TAKE
          || !placement_counts_block (site, figures, &block))
        continue;
      placement->text += block.text;
      ++placement->blocks;
      placement->header |= hugetext_holds_header (object, at, at + geo->block);
      if (at < start)
        placement->before = start - at;
      if (at + geo->block > end)
        placement->after = at + geo->block - end;
      if (figures == OF_HEAT)
        {
          uint64_t heat = hugetext_block_heat (object, geo, &site->heat, at);
          placement->heat += heat * heat;
        }
    }
  object->bias = bias;
  object->low = low;
  object->high = high;
}

static uintptr_t
modulus_of (const struct hugetext_site *site)
{
  return hugetext_max (site->geo->block, site->object->align);
}

/* ADDRESS is a link-time address of OBJECT.  Return the residue (the load bias
   modulo MODULUS) with which the run-time address of the byte at ADDRESS is a
   multiple of MODULUS.  If this residue is not a multiple of OBJECT's p_align,
   return the next higher multiple of p_align.  */
static uintptr_t
boundary_residue (const struct hugetext_object *object, uintptr_t modulus,
                  uintptr_t address)
{
  uintptr_t residue = -address & (modulus - 1);
  residue = hugetext_round_down (residue + object->align - 1, object->align);
  return residue & (modulus - 1);
}

/* Return the link-time address of OBJECT's first text segment minus its file
   offset.  OBJECT must have text.  */
static uintptr_t
file_distance (const struct hugetext_object *object)
{
  const struct hugetext_segment *s = object->segment;
  while (!hugetext_is_text (s))
    ++s;
  return s->start - (uintptr_t) s->offset;
}

/* Return the link-time address of the beginning of OBJECT's text or, if ENDS
   is true, of its end.  OBJECT must have text.  */
static uintptr_t
text_edge (const struct hugetext_object *object, bool ends)
{
  uintptr_t edge = 0;
  for (size_t i = object->nsegments; i-- > 0;)
    {
      const struct hugetext_segment *s = &object->segment[i];
      /* A segment without bytes of the file has no text.  */
      if (!hugetext_is_text (s) || s->datastart == s->dataend)
        continue;
      if (ends)
        return s->fileend;
      edge = s->start;
    }
  return edge;
}

/* A candidate is a placement that the policy evaluates first, because it is
   likely to be a good one.  Set the residue of PLACEMENT (the load bias modulo
   the block size) to that of candidate number I for SITE's object.  The policy
   prefers candidates with low numbers.  Return false if SITE's object has no
   candidate number I.  */
static bool
candidate (const struct hugetext_site *site, size_t i,
           struct hugetext_placement *placement)
{
  const struct hugetext_object *object = site->object;
  const struct hugetext_segment *last
      = &object->segment[object->nsegments - 1];
  uintptr_t address = last->end;
  if (i == 0)
    /* With the first candidate, run-time addresses are congruent to file
       offsets modulo the block size, so that huge pages of the file in the
       page cache can be mapped.  */
    address = file_distance (object);
  else if (i <= object->nsegments)
    /* Candidate number I puts the beginning of segment number I - 1 on a block
       boundary.  If there is a gap between this segment and the segment
       before, and neither is writable, the block boundary may be anywhere in
       the gap; this freedom helps to obey p_align.  */
    address = object->segment[i - 1].start;
  else if (i == object->nsegments + 1)
    /* With candidate number nsegments + 1, the first page after the ELF header
       begins on a block boundary.  */
    address = object->segment[0].start + site->geo->page;
  else if (i == object->nsegments + 2)
    /* With candidate number nsegments + 2, the second page of text begins on a
       block boundary.  */
    address = text_edge (object, false) + site->geo->page;
  else if (i == object->nsegments + 3)
    /* With candidate number nsegments + 3, the last page of text begins on a
       block boundary.  (With the last candidate, number nsegments + 4, the
       object ends on a block boundary.)  */
    address = text_edge (object, true) - site->geo->page;
  placement->modulus = modulus_of (site);
  placement->residue = boundary_residue (object, placement->modulus, address);
  placement->congruent = i == 0;
  return i <= object->nsegments + 4;
}

/* Return true if SITE's object should keep the name of its file in
   /proc/PID/maps, and PLACEMENT permits this, because the ELF header and some
   text are outside of the blocks.  */
static bool
placement_keeps_name (const struct hugetext_site *site,
                      const struct hugetext_placement *placement)
{
  return (site->names && !placement->header
          && placement->text < hugetext_object_text (site->object));
}

/* Return true if A is a better placement for SITE's object than B.  Both
   placements put about the same amount of text into blocks.  The first
   criterion in which A and B differ decides.  The criteria for the better
   placement are, in this order: fewer blocks, the ELF header outside of the
   blocks, a kept file name (placement_keeps_name), more text, addresses
   congruent to file offsets, less slack.  */
static bool
is_better (const struct hugetext_site *site,
           const struct hugetext_placement *a,
           const struct hugetext_placement *b)
{
  if (a->blocks != b->blocks)
    return a->blocks < b->blocks;
  if (a->header != b->header)
    return b->header;
  if (placement_keeps_name (site, a) != placement_keeps_name (site, b))
    return placement_keeps_name (site, a);
  if (a->text != b->text)
    return a->text > b->text;
  if (a->congruent != b->congruent)
    return a->congruent;
  return a->before + a->after < b->before + b->after;
}

/* Evaluate the placements with all residues that p_align allows, in steps of
   STEP.  If one of these placements is better than BEST, set BEST to the best
   placement.  The better placement has more heat or, if the heat is equal,
   more text; if the text is equal too, is_better decides.  THIS is scratch
   space for the placement that is being evaluated.  */
static void
search_all (const struct hugetext_site *site, enum figures figures,
            uintptr_t step, struct hugetext_placement *this,
            struct hugetext_placement *best)
{
  *this = (struct hugetext_placement){ .modulus = best->modulus };
  step = hugetext_max (step, site->object->align);
  for (; this->residue < this->modulus; this->residue += step)
    {
      evaluate (site, figures, this);
      if (this->heat > best->heat
          || (this->heat == best->heat
              && (this->text > best->text
                  || (this->text == best->text
                      && is_better (site, this, best)))))
        *best = *this;
    }
}

/* Evaluate candidate number I, and return the result, or NULL if there is no
   candidate number I.  The caller has evaluated the candidates with lower
   numbers before, so their results are in ROOM.  */
static const struct hugetext_placement *
evaluate_candidate (const struct hugetext_site *site, size_t i,
                    struct hugetext_place_room *room)
{
  struct hugetext_placement *kept = room->kept;
  struct hugetext_placement *this
      = i < HUGETEXT_PLACES_KEPT ? &kept[i] : &room->present;
  size_t same = 0;
  if (!candidate (site, i, this))
    return NULL;
  /* If an earlier candidate has the same residue (load bias modulo the block
     size), copy the result of the earlier candidate.  Candidates for adjacent
     segments often have the same residue.  */
  while (same < i && same < HUGETEXT_PLACES_KEPT
         && kept[same].residue != this->residue)
    ++same;
  if (same < i && same < HUGETEXT_PLACES_KEPT)
    {
      const bool congruent = this->congruent;
      *this = kept[same];
      this->congruent = congruent;
    }
  else
    evaluate (site, OF_ALL, this);
  return this;
}

/* Set PLACEMENT to the placement with the most text in blocks.  Search beyond
   the candidates only if all candidates leave more than TOLERANCE bytes of
   text outside of the blocks.  Set *COUNT to the number of candidates.  */
static void
find_most (const struct hugetext_site *site, uintptr_t tolerance,
           struct hugetext_place_room *room, size_t *count,
           struct hugetext_placement *placement)
{
  const struct hugetext_placement *this;
  for (*count = 0; (this = evaluate_candidate (site, *count, room)) != NULL;
       ++*count)
    if (this->text > placement->text)
      *placement = *this;
  /* If all candidates leave too much text outside of the blocks, evaluate all
     residues (load biases modulo the block size).  A better residue than those
     of the candidates exists, for example, if the blocks at both edges of the
     text reach the threshold only when the text is divided between them, or if
     writable segments are on both sides of the text.  */
  if (placement->text < hugetext_object_text (site->object) - tolerance)
    search_all (site, OF_ALL, site->geo->page, &room->present, placement);
}

bool
hugetext_place (const struct hugetext_site *site,
                struct hugetext_place_room *room,
                struct hugetext_placement *placement)
{
  const struct hugetext_object *object = site->object;
  *placement = (struct hugetext_placement){ .modulus = modulus_of (site) };

  /* Most libraries can have no huge block: they have too little text for a
     block that contains only text, and less text than pad_threshold requires
     of a block at the edge of the text.  */
  uintptr_t text = hugetext_object_text (object);
  uintptr_t pages = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    if (hugetext_is_text (&object->segment[i]))
      pages += object->segment[i].end - object->segment[i].start;
  if (pages < site->geo->block
      && (site->pad_threshold == 0 || text < site->pad_threshold))
    return false;

  /* TOLERANCE is the number of bytes of text that a placement may lose in
     favor of other advantages.  The tolerance is 1/128 of the text, but at
     most 1/32 of a block (64 KiB).  Without the limit of 1/32 of a block, a
     library of hundreds of megabytes could lose a whole block, perhaps the
     hottest block of the library.  */
  uintptr_t tolerance = hugetext_min (text / 128, site->geo->block / 32);
  size_t count;
  find_most (site, tolerance, room, &count, placement);

  /* Among the candidates with about as much text in blocks as the placement
     with the most text, choose the best by is_better.  */
  uintptr_t enough = text - tolerance;
  if (placement->text < enough)
    enough = placement->text - hugetext_min (tolerance, placement->text);
  for (size_t i = 0; i < count; ++i)
    {
      const struct hugetext_placement *this
          = (i < HUGETEXT_PLACES_KEPT ? &room->kept[i]
                                      : evaluate_candidate (site, i, room));
      if (this->text >= enough && is_better (site, this, placement))
        *placement = *this;
    }
  return placement->blocks > 0;
}

bool
hugetext_place_congruent (const struct hugetext_site *site,
                          struct hugetext_placement *placement)
{
  if (hugetext_object_text (site->object) == 0)
    return false;
  candidate (site, 0, placement);
  evaluate (site, OF_THE_FILE, placement);
  return placement->blocks > 0;
}

void
hugetext_place_by_heat (const struct hugetext_site *site,
                        struct hugetext_placement *placement)
{
  /* If the object has fewer than two blocks, or if its heat is unknown, do not
     choose the placement by heat.  */
  if (site->heat.weight == NULL || site->heat.granules == 0
      || placement->blocks < 2)
    return;
  evaluate (site, OF_HEAT, placement);
  struct hugetext_placement this, best = *placement;
  search_all (site, OF_HEAT, HUGETEXT_GRANULE, &this, &best);
  /* Keep the placement with the most text, unless the member HEAT of another
     placement is more than a sixteenth higher.  */
  if (best.heat > placement->heat + placement->heat / 16)
    *placement = best;
}

static bool
placement_ask_fact (const struct hugetext_site *site, enum hugetext_fact fact)
{
  return site->ask (site->closure, fact);
}

/* Return true if the loader can put SITE's object at PLACEMENT.  */
static bool
is_available (const struct hugetext_site *site,
              const struct hugetext_placement *placement)
{
  return !site->no_slack || !hugetext_has_slack (placement);
}

/* Return true if SITE's object has an image that can be mapped at
   PLACEMENT.  */
static bool
has_image (const struct hugetext_site *site,
           const struct hugetext_placement *placement)
{
  return (is_available (site, placement)
          && hugetext_may_use_store (site->choice)
          && placement_ask_fact (site, HUGETEXT_HAS_IMAGE));
}

/* Return true if blocks of SITE's object can be copies.
   hugetext_may_copy_object decides about copies before the loader chooses the
   object's address, by the same rules as hugetext_may_try later decides about
   each block.  If the object must have the same address in each start
   (STEADY), ignore how much memory is free.  */
static bool
may_be_copied (const struct hugetext_site *site)
{
  const struct hugetext_wish wish = { .choice = site->choice,
                                      .images = site->images,
                                      .ask = site->ask,
                                      .closure = site->closure };
  return ((site->steady || placement_ask_fact (site, HUGETEXT_HAS_ROOM))
          && hugetext_may_copy_object (&wish));
}

/* Return true if the text in huge pages of the file at CONGRUENT is worth at
   least as much as the text in blocks at PLACEMENT.  SITE's object has no
   image.  CONGRUENT is the placement at which the loader can map huge pages of
   the object's file.  At both placements, the loader may copy blocks that
   cannot be huge pages of the file.  Huge pages of the file use no memory,
   work with nearly all tools and are never outdated.  Therefore the function
   multiplies the text in huge pages of the file by 1.25, and the member HEAT
   of CONGRUENT by 1.5.  */
static bool
has_much_there (const struct hugetext_site *site,
                const struct hugetext_placement *placement,
                const struct hugetext_placement *congruent)
{
  struct hugetext_placement all = *congruent;
  if (!hugetext_may_copy (site->choice))
    return true;
  evaluate (site, placement->heat != 0 ? OF_HEAT : OF_ALL, &all);
  /* If the object's address must not depend on what the page cache holds
     (STEADY), prefer CONGRUENT only if it is also good in a start in which the
     page cache has no huge pages of the file and all blocks are copies.  */
  if (site->steady)
    return (congruent->text >= placement->text - placement->text / 20
            && all.heat >= placement->heat - placement->heat / 10);
  struct hugetext_placement copies = *placement;
  if (site->copy_text != 0 && site->heat.weight == NULL)
    {
      evaluate (site, OF_WORTH, &all);
      evaluate (site, OF_WORTH, &copies);
    }
  return (all.text + congruent->text / 4 >= copies.text
          && all.heat + all.heat / 2 >= placement->heat);
}

/* Set CONGRUENT to the placement with the most text of SITE's object on huge
   pages of the object's own file.  Return true if CONGRUENT is better than
   PLACEMENT.  If the loader cannot put the object at PLACEMENT, CONGRUENT is
   better.  If the object has an image, the placement with more text in blocks
   is better, because neither an image nor huge pages of the file use memory of
   the process.  If the object has no image, blocks at PLACEMENT can only be
   copies; so CONGRUENT is better if the object must not be copied.  The
   function asks its caller last whether the object may have an image or
   copies, because the caller needs system calls for the answer.  */
static bool
suits_file (const struct hugetext_site *site,
            const struct hugetext_placement *placement,
            struct hugetext_placement *congruent)
{
  if (!hugetext_place_congruent (site, congruent)
      || !is_available (site, congruent))
    return false;
  if (!is_available (site, placement))
    return true;
  const bool much = has_much_there (site, placement, congruent);
  if (congruent->text < placement->text)
    return !has_image (site, placement) && (much || !may_be_copied (site));
  return much || has_image (site, placement) || !may_be_copied (site);
}

/* If the page cache has huge pages of the file of SITE's object, and the
   placement at which the loader can map them is better than PLACEMENT, change
   PLACEMENT to this placement.  If the object's address must not depend on the
   page cache (STEADY), change PLACEMENT even if the page cache has no huge
   pages of the file.  Return true if the object can use huge pages of the
   file.  */
static bool
choose_file (const struct hugetext_site *site,
             struct hugetext_placement *placement)
{
  struct hugetext_placement congruent;
  if (!hugetext_may_use_file (site->choice)
      || (!site->fixed && !suits_file (site, placement, &congruent))
      || (!site->fixed && site->steady && has_image (site, placement))
      || placement_ask_fact (site, HUGETEXT_IS_TRACED))
    return false;

  if (!site->fixed)
    site->object->bias = congruent.modulus + congruent.residue;
  site->object->low = 0;
  site->object->high = UINTPTR_MAX;
  bool file = (placement_ask_fact (site, HUGETEXT_HAS_FILE_BLOCK)
               && (placement_ask_fact (site, HUGETEXT_HAS_FILE_BLOCKS)
                   || site->fixed || !has_image (site, placement)));
  if (!site->fixed && (file || site->steady))
    *placement = congruent;
  return file;
}

struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement)
{
  struct hugetext_site_verdict verdict = { .stays = site->fixed };
  /* If the object has an image, do not choose the placement by heat, because
     the image was made for the placement with the most text in blocks.  */
  if (!site->fixed && site->heat.weight != NULL
      && !has_image (site, placement))
    hugetext_place_by_heat (site, placement);
  verdict.file = choose_file (site, placement);
  if (!site->fixed && !is_available (site, placement))
    verdict = (struct hugetext_site_verdict){ .stays = true };
  return verdict;
}
