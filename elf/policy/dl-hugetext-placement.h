/* Policy of ld-hugetext: where an object's text can lie on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-plan.h explains blocks, and the restrictions on policy code.  */

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
  uintptr_t text; /* The bytes of text in the blocks that BLOCKS counts.  */
  size_t blocks;  /* The number of blocks that can be taken at this place.  */
  bool header;    /* One of the blocks holds the ELF header.  */
  bool congruent; /* Addresses and file offsets are congruent.  */
  uint64_t heat;  /* How well few blocks concentrate heat: the sum of the
                     squares of each block's heat
                     (doc/experiments/choice-of-blocks).  It does not depend on
                     a cap.  0 if heat is unknown.  */
};

/* Whether PLACEMENT reserves more than the object itself needs.  */
static inline bool
hugetext_has_slack (const struct hugetext_placement *placement)
{
  return placement->before != 0 || placement->after != 0;
}

/* An object whose place is being chosen, with the facts for the choice.  */
struct hugetext_site
{
  struct hugetext_object *object; /* The functions change its bias, low and
                                     high; all functions except hugetext_choose
                                     restore them.  */
  const struct hugetext_geometry *geo;
  uintptr_t pad_threshold;
  bool names; /* The object should keep the name of its file where that costs
                 little: a page of text stays outside of the blocks.  */
  /* Members for hugetext_choose:  */
  enum hugetext_choice choice;
  struct hugetext_heat heat;
  bool fixed;    /* The loader may not choose the object's address.  */
  bool steady;   /* The place must not depend on what the page cache holds.  */
  bool no_slack; /* The loader must not reserve more address space than the
                    object needs.  */
  hugetext_ask *ask;
  void *closure;
};

/* Find the placement of SITE's object that puts most of its text into blocks.
   Among placements with about as much text, prefer the fewest blocks; then one
   with the ELF header outside of the blocks, because debuggers, profilers and
   crash reporters do not find a header in a copy; then, if SITE wants names,
   one with a page of text outside of the blocks.  False if no placement gives
   the object a block.  */
extern bool hugetext_place (const struct hugetext_site *site,
                            struct hugetext_placement *placement);

/* Find the placement at which huge pages of the object's own file can map most
   text, counting only blocks that can be such pages.  False if there is
   none.  */
extern bool hugetext_place_congruent (const struct hugetext_site *site,
                                      struct hugetext_placement *placement);

/* Change PLACEMENT to the one that concentrates SITE's heat best, if that one
   is much better.  */
extern void hugetext_place_by_heat (const struct hugetext_site *site,
                                    struct hugetext_placement *placement);

/* The result of hugetext_choose.  */
struct hugetext_site_verdict
{
  bool file;  /* The object's file has, or may have, huge pages for this
                 place.  */
  bool stays; /* The object stays at the place that the kernel would
                 choose.  */
};

/* Choose the place of SITE's object.  PLACEMENT is the result of
   hugetext_place, which also fits an image in the store; the function may
   change it to a place with the heat in fewer blocks, or to one where text can
   be huge pages of the file.  The caller's answers say whether such pages are
   available.  All this happens before any page of the object is touched.  */
extern struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement);

#endif /* dl-hugetext-placement.h */
