/* Policy of ld-hugetext: where an object's text can lie on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-plan.h explains blocks, and what the policy may not do.  */

#ifndef _DL_HUGETEXT_PLACEMENT_H
#define _DL_HUGETEXT_PLACEMENT_H 1

#include "dl-hugetext-plan.h"
#include "dl-hugetext-ways.h"

/* The place of an object: a load bias congruent to RESIDUE modulo MODULUS,
   with BEFORE bytes reserved below the object's first page and AFTER bytes
   above its last page.  */
struct hugetext_placement
{
  uintptr_t residue;
  uintptr_t modulus;
  uintptr_t before;
  uintptr_t after;
  uintptr_t text; /* Bytes of text in the blocks below.  */
  size_t blocks;  /* The number of blocks that can be taken at this place.  */
  bool header;    /* One of the blocks holds the ELF header.  */
  bool congruent; /* Addresses are congruent to offsets in the file.  */
  uint64_t heat;  /* How well few blocks concentrate heat: the sum of the
                     squares of each block's heat, which needs no cap
                     (doc/experiments/choice-of-blocks); 0 if heat is not
                     known.  */
};

/* Whether PLACEMENT reserves more than the object itself needs.  */
static inline bool
hugetext_has_slack (const struct hugetext_placement *placement)
{
  return placement->before != 0 || placement->after != 0;
}

/* An object whose place is being chosen, with the facts that decide.  */
struct hugetext_site
{
  struct hugetext_object *object; /* The functions change its bias, low and
                                     high, and all but hugetext_choose restore
                                     them.  */
  const struct hugetext_geometry *geo;
  uintptr_t pad_threshold;
  bool names; /* The object is to keep its name where that costs little: a
                 page of text stays outside of the blocks.  */
  /* For hugetext_choose:  */
  enum hugetext_choice choice;
  struct hugetext_heat heat;
  bool fixed;    /* The loader may not choose the object's address.  */
  bool steady;   /* The place must not depend on what is cached.  */
  bool no_slack; /* The loader also takes no more address space than the object
                    needs.  */
  hugetext_ask *ask;
  void *closure;
};

/* Find the placement of SITE's object that puts most of its text into blocks;
   among about equals the one with the fewest blocks, then one with the ELF
   header outside of them, because debuggers, profilers and crash reporters do
   not find a header in a copy, then one with a page of text outside of them,
   if SITE wants names.  False if no placement gives it a block.  */
extern bool hugetext_place (const struct hugetext_site *site,
                            struct hugetext_placement *placement);

/* Find the placement at which most text can be mapped by huge pages of the
   object's own file, and count only the blocks that can.  False if there is
   none.  */
extern bool hugetext_place_congruent (const struct hugetext_site *site,
                                      struct hugetext_placement *placement);

/* Change PLACEMENT to the one that concentrates SITE's heat best, if that is
   much better.  */
extern void hugetext_place_by_heat (const struct hugetext_site *site,
                                    struct hugetext_placement *placement);

/* The place that hugetext_choose has chosen.  */
struct hugetext_site_verdict
{
  bool file;  /* The object's file has, or may have, huge pages for it
                 there.  */
  bool stays; /* The object stays where the kernel would put it.  */
};

/* Choose the place of SITE's object: change PLACEMENT, which hugetext_place
   has made and which fits an image in the store, to a place with the heat in
   fewer blocks, or where text can be huge pages of the file.  The caller's
   answers say whether these pages can be had; all this comes before the object
   is touched.  */
extern struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement);

#endif /* dl-hugetext-placement.h */
