/* Policy of ld-hugetext: the choice of an address at which an object's text
   can use huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-plan.h explains blocks, and the restrictions on policy code.  */

#ifndef _DL_HUGETEXT_PLACEMENT_H
#define _DL_HUGETEXT_PLACEMENT_H 1

#include "dl-hugetext-plan.h"
#include "dl-hugetext-ways.h"

/* The place of an object in address space: its load bias is congruent to
   RESIDUE modulo MODULUS.  BEFORE bytes are reserved below the object's first
   page, and AFTER bytes above its last page.  */
struct hugetext_placement
{
  uintptr_t residue;
  uintptr_t modulus;
  uintptr_t before;
  uintptr_t after;
  uintptr_t text; /* The bytes of text in the blocks that BLOCKS counts.  */
  size_t blocks;  /* The number of blocks that can be huge at this place.  */
  bool header;    /* One of the blocks holds the ELF header.  */
  bool congruent; /* Addresses and file offsets are congruent.  */
  uint64_t heat;  /* How well few blocks concentrate heat, or 0 if heat is
                     unknown: the sum of the squares of each block's heat
                     (doc/experiments/choice-of-blocks).  The sum does not
                     depend on a cap.  */
};

/* Whether PLACEMENT reserves address space beyond the object itself.  */
static inline bool
hugetext_has_slack (const struct hugetext_placement *placement)
{
  return placement->before != 0 || placement->after != 0;
}

/* An object whose address the policy chooses, and the facts for the
   choice.  */
struct hugetext_site
{
  struct hugetext_object *object; /* The functions below change the members
                                     BIAS, LOW and HIGH of the object.  All
                                     except hugetext_choose restore these
                                     members.  */
  const struct hugetext_geometry *geo;
  uintptr_t pad_threshold;
  bool names; /* Keep the name of the object's file if the cost is small: a
                 page of text stays outside of the blocks.  */
  /* Members for hugetext_choose:  */
  enum hugetext_choice choice;
  struct hugetext_heat heat;
  bool fixed;    /* The loader may not choose the object's address.  */
  bool steady;   /* The address must not depend on the contents of the page
                    cache.  */
  bool no_slack; /* The loader must not reserve address space beyond the object
                    itself.  */
  hugetext_ask *ask;
  void *closure;
};

/* Set PLACEMENT to the place at which blocks contain the most text of SITE's
   object.  Among places with about as much text, prefer the one with the
   fewest blocks.  Next, prefer a place with the ELF header outside of the
   blocks, because debuggers, profilers and crash reporters do not find a
   header in a copy.  Last, if SITE wants names, prefer a place with a page of
   text outside of the blocks.  Return false if the object has no block at any
   place.  */
extern bool hugetext_place (const struct hugetext_site *site,
                            struct hugetext_placement *placement);

/* Set PLACEMENT to the place at which huge pages of the object's own file can
   map the most text.  Only blocks that can be huge pages of the file count.
   Return false if no block can be a huge page of the file.  */
extern bool hugetext_place_congruent (const struct hugetext_site *site,
                                      struct hugetext_placement *placement);

/* Change PLACEMENT to the place that concentrates SITE's heat best, if that
   place is much better.  */
extern void hugetext_place_by_heat (const struct hugetext_site *site,
                                    struct hugetext_placement *placement);

/* The result of hugetext_choose.  */
struct hugetext_site_verdict
{
  bool file;  /* The object's file has, or may have, huge pages that can be
                 mapped at the place.  */
  bool stays; /* The object stays at the address that the kernel would
                 choose.  */
};

/* Choose the place of SITE's object.  On entry, PLACEMENT is the result of
   hugetext_place, which also fits an image in the store.  The function may
   change PLACEMENT to a place with the heat in fewer blocks, or to a place
   where huge pages of the file can hold text.  The caller's answers
   (SITE->ask) say whether the file has huge pages.  The policy chooses before
   any page of the object is touched.  */
extern struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement);

#endif /* dl-hugetext-placement.h */
