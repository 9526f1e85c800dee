/* Policy of ld-hugetext: where an object's text can lie on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-placement.h"

/* The kinds of figures that evaluate computes.  */
enum figures
{
  OF_ALL,     /* All blocks that may be taken.  */
  OF_HEAT,    /* The same, and how they concentrate heat.  */
  OF_THE_FILE /* Only blocks that can be the file's own pages.  */
};

/* Fill in PLACEMENT, whose residue and modulus are set, for SITE's object.  */
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
          || (figures == OF_THE_FILE && !block.congruent))
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

/* Return the first residue allowed by p_align that puts link-time address
   ADDRESS of OBJECT on a boundary of MODULUS or above it.  */
static uintptr_t
boundary_residue (const struct hugetext_object *object, uintptr_t modulus,
                  uintptr_t address)
{
  uintptr_t residue = -address & (modulus - 1);
  residue = hugetext_round_down (residue + object->align - 1, object->align);
  return residue & (modulus - 1);
}

/* Return how far OBJECT's first text, which exists, lies from its offset.  */
static uintptr_t
file_distance (const struct hugetext_object *object)
{
  const struct hugetext_segment *s = object->segment;
  while (!hugetext_is_text (s))
    ++s;
  return s->start - (uintptr_t) s->offset;
}

/* Return where the text of OBJECT, which has some, begins, or if ENDS,
   ends.  */
static uintptr_t
text_edge (const struct hugetext_object *object, bool ends)
{
  uintptr_t edge = 0;
  for (size_t i = object->nsegments; i-- > 0;)
    {
      const struct hugetext_segment *s = &object->segment[i];
      /* A segment may have no bytes of the file.  */
      if (!hugetext_is_text (s) || s->datastart == s->dataend)
        continue;
      if (ends)
        return s->fileend;
      edge = s->start;
    }
  return edge;
}

/* Set the residue of PLACEMENT to candidate I for OBJECT, in order of
   preference.  False if there are no more candidates.  */
static bool
candidate (const struct hugetext_site *site, size_t i,
           struct hugetext_placement *placement)
{
  const struct hugetext_object *object = site->object;
  const struct hugetext_segment *last
      = &object->segment[object->nsegments - 1];
  uintptr_t address = last->end;
  if (i == 0)
    /* Addresses congruent to offsets, so that huge pages can be the file's
       own.  */
    address = file_distance (object);
  else if (i <= object->nsegments)
    /* A boundary where another segment begins.  If a run of segments that are
       not writable ends in a gap, the boundary may lie anywhere in the gap, so
       that p_align can be met.  */
    address = object->segment[i - 1].start;
  else if (i == object->nsegments + 1)
    /* A boundary just after the ELF header.  */
    address = object->segment[0].start + site->geo->page;
  else if (i == object->nsegments + 2)
    /* A boundary just after the first page of text.  */
    address = text_edge (object, false) + site->geo->page;
  else if (i == object->nsegments + 3)
    /* A boundary just before the last page of text.  */
    address = text_edge (object, true) - site->geo->page;
  placement->modulus = modulus_of (site);
  placement->residue = boundary_residue (object, placement->modulus, address);
  placement->congruent = i == 0;
  return i <= object->nsegments + 4;
}

/* Whether SITE's object should keep its name, and does so at PLACEMENT: the
   ELF header and some text lie outside of the blocks.  */
static bool
keeps_name (const struct hugetext_site *site,
            const struct hugetext_placement *placement)
{
  return (site->names && !placement->header
          && placement->text < hugetext_object_text (site->object));
}

/* Whether A is better for SITE than B, which has about the same text.  The
   criteria, in this order: fewer blocks; the ELF header outside of them; the
   object's name kept; more text; the file's own pages possible; less
   slack.  */
static bool
is_better (const struct hugetext_site *site,
           const struct hugetext_placement *a,
           const struct hugetext_placement *b)
{
  if (a->blocks != b->blocks)
    return a->blocks < b->blocks;
  if (a->header != b->header)
    return b->header;
  if (keeps_name (site, a) != keeps_name (site, b))
    return keeps_name (site, a);
  if (a->text != b->text)
    return a->text > b->text;
  if (a->congruent != b->congruent)
    return a->congruent;
  return a->before + a->after < b->before + b->after;
}

/* Find the placement with the most heat, or else the most text, at any residue
   that p_align allows, in steps of STEP.  */
static void
search_all (const struct hugetext_site *site, enum figures figures,
            uintptr_t step, struct hugetext_placement *best)
{
  struct hugetext_placement this = { .modulus = best->modulus };
  step = hugetext_max (step, site->object->align);
  for (; this.residue < this.modulus; this.residue += step)
    {
      evaluate (site, figures, &this);
      if (this.heat > best->heat
          || (this.heat == best->heat
              && (this.text > best->text
                  || (this.text == best->text
                      && is_better (site, &this, best)))))
        *best = this;
    }
}

/* The number of candidates whose figures are kept; few objects have more.  */
#define KEPT 10

/* Set the residue of PLACEMENT to candidate I, and fill it in; KEPT has the
   candidates before it.  False if there are no more candidates.  */
static bool
evaluate_candidate (const struct hugetext_site *site, size_t i,
                    struct hugetext_placement kept[KEPT],
                    struct hugetext_placement *placement)
{
  size_t same = 0;
  if (!candidate (site, i, placement))
    return false;
  /* Adjacent segments give the same residue.  */
  while (same < i && same < KEPT && kept[same].residue != placement->residue)
    ++same;
  if (same < i && same < KEPT)
    {
      const bool congruent = placement->congruent;
      *placement = kept[same];
      placement->congruent = congruent;
    }
  else
    evaluate (site, OF_ALL, placement);
  if (i < KEPT)
    kept[i] = *placement;
  return true;
}

bool
hugetext_place (const struct hugetext_site *site,
                struct hugetext_placement *placement)
{
  const struct hugetext_object *object = site->object;
  struct hugetext_placement this, kept[KEPT];
  *placement = (struct hugetext_placement){ .modulus = modulus_of (site) };

  /* Most libraries have too little text for a block of either kind.  */
  uintptr_t text = hugetext_object_text (object);
  uintptr_t pages = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    if (hugetext_is_text (&object->segment[i]))
      pages += object->segment[i].end - object->segment[i].start;
  if (pages < site->geo->block
      && (site->pad_threshold == 0 || text < site->pad_threshold))
    return false;

  /* Find the most text.  A difference of less than 1/128 is not worth a block.
     All candidates may be poor, if the text must be divided so that both edges
     reach the threshold, or if writable segments on both sides leave a
     choice.  */
  uintptr_t tolerance = text / 128;
  size_t count = 0;
  for (; evaluate_candidate (site, count, kept, &this); ++count)
    if (this.text > placement->text)
      *placement = this;
  if (placement->text < text - tolerance)
    search_all (site, OF_ALL, site->geo->page, placement);

  /* Find the best candidate with about as much text.  */
  uintptr_t enough = text - tolerance;
  if (placement->text < enough)
    enough = placement->text - hugetext_min (tolerance, placement->text);
  for (size_t i = 0; i < count; ++i)
    {
      if (i < KEPT)
        this = kept[i];
      else
        evaluate_candidate (site, i, kept, &this);
      if (this.text >= enough && is_better (site, &this, placement))
        *placement = this;
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
  /* With fewer than two blocks, or without heat, nothing can be gained.  */
  if (site->heat.weight == NULL || site->heat.granules == 0
      || placement->blocks < 2)
    return;
  evaluate (site, OF_HEAT, placement);
  struct hugetext_placement best = *placement;
  search_all (site, OF_HEAT, HUGETEXT_GRANULE, &best);
  /* A gain below a sixteenth does not justify leaving the place with most
     text.  */
  if (best.heat > placement->heat + placement->heat / 16)
    *placement = best;
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

/* Whether SITE's object, at CONGRUENT, has about as much text in huge pages as
   at PLACEMENT if there is no image.  At both places, blocks that are not the
   file's own may be copies.  The file's own pages cost no memory, keep every
   tool working and are never outdated, which is worth a quarter more text in
   copies, and half more heat, squared.  */
static bool
has_much_there (const struct hugetext_site *site,
                const struct hugetext_placement *placement,
                const struct hugetext_placement *congruent)
{
  struct hugetext_placement all = *congruent;
  if (!hugetext_may_copy (site->choice))
    return true;
  evaluate (site, placement->heat != 0 ? OF_HEAT : OF_ALL, &all);
  /* A place that does not depend on the page cache must also suit copies.  */
  if (site->steady)
    return (congruent->text >= placement->text - placement->text / 20
            && all.heat >= placement->heat - placement->heat / 10);
  return (all.text + congruent->text / 4 >= placement->text
          && all.heat + all.heat / 2 >= placement->heat);
}

/* Set CONGRUENT to the place where the text of SITE's object can be huge pages
   of its file.  False if PLACEMENT is better.  An image also costs no memory,
   so with an image the place with more text is better; the caller is asked for
   it last, because that takes system calls.  */
static bool
suits_file (const struct hugetext_site *site,
            const struct hugetext_placement *placement,
            struct hugetext_placement *congruent)
{
  if (!hugetext_place_congruent (site, congruent))
    return false;
  const bool much = has_much_there (site, placement, congruent);
  return (congruent->text < placement->text ? much && !has_image (site)
                                            : much || has_image (site));
}

/* If SITE's object should take the place that fits its file's huge pages,
   change PLACEMENT to it and return true.  */
static bool
choose_file (const struct hugetext_site *site,
             struct hugetext_placement *placement)
{
  struct hugetext_placement congruent;
  if (!hugetext_may_use_file (site->choice)
      || (!site->fixed && !suits_file (site, placement, &congruent))
      || (!site->fixed && site->steady && has_image (site))
      || ask (site, HUGETEXT_IS_TRACED))
    return false;

  if (!site->fixed)
    site->object->bias = congruent.modulus + congruent.residue;
  site->object->low = 0;
  site->object->high = UINTPTR_MAX;
  bool file = (ask (site, HUGETEXT_HAS_FILE_BLOCK)
               && (ask (site, HUGETEXT_HAS_FILE_BLOCKS) || site->fixed
                   || !has_image (site)));
  if (!site->fixed && (file || site->steady))
    *placement = congruent;
  return file;
}

struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement)
{
  struct hugetext_site_verdict verdict = { .stays = site->fixed };
  /* An image fits only the place with most text, for which it was made.  */
  if (!site->fixed && site->heat.weight != NULL && !has_image (site))
    hugetext_place_by_heat (site, placement);
  verdict.file = choose_file (site, placement);
  if (!site->fixed && site->no_slack && hugetext_has_slack (placement))
    verdict = (struct hugetext_site_verdict){ .stays = true };
  return verdict;
}
