/* Policy of ld-hugetext: at which address should an object be, so that its
   text can use huge pages?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-plan.h explains what blocks are, and what policy code must not
   do.  */

#ifndef _DL_HUGETEXT_PLACEMENT_H
#define _DL_HUGETEXT_PLACEMENT_H 1

#include "dl-hugetext-plan.h"
#include "dl-hugetext-ways.h"

/* A place for an object in address space: the load bias is congruent to
   RESIDUE modulo MODULUS.  BEFORE bytes are reserved below the object's first
   page, and AFTER bytes above its last page.  */
struct hugetext_placement
{
  uintptr_t residue;
  uintptr_t modulus;
  uintptr_t before;
  uintptr_t after;
  uintptr_t text; /* The number of bytes of text in the blocks that were
                     counted for this place.  */
  size_t blocks;  /* The number of blocks of the object that can be huge at
                     this place.  */
  bool header;    /* True if a block of this place contains the ELF header.  */
  bool congruent; /* True if run-time addresses are congruent to file
                     offsets.  */
  uint64_t heat;  /* A measure of how much the heat is concentrated in few
                     blocks: the sum of the squares of the blocks' heat
                     (doc/experiments/choice-of-blocks).  Unlike other
                     measures, the sum of squares does not depend on the cap.
                     The member is 0 if heat is unknown.  */
};

/* Return true if PLACEMENT reserves address space beyond the object
   itself.  */
static inline bool
hugetext_has_slack (const struct hugetext_placement *placement)
{
  return placement->before != 0 || placement->after != 0;
}

/* The number of candidates for which hugetext_place keeps the results; few
   objects have more candidates.  */
#define HUGETEXT_PLACES_KEPT 10

/* Memory in which hugetext_place keeps the results.  The results are not in
   the frame of hugetext_place, because a larger frame could cost a small
   program one more page of stack.  */
struct hugetext_place_room
{
  struct hugetext_placement kept[HUGETEXT_PLACES_KEPT];
  struct hugetext_placement present; /* The place that the policy is
                                        evaluating.  */
};

/* An object whose address the policy chooses, and the facts for the
   choice.  */
struct hugetext_site
{
  struct hugetext_object *object; /* The functions that this header declares
                                     change the members BIAS, LOW and HIGH of
                                     the object.  All these functions except
                                     hugetext_choose restore the members BIAS,
                                     LOW and HIGH before they return.  */
  const struct hugetext_geometry *geo;
  uintptr_t pad_threshold;
  bool names; /* The object should keep the name of its file if this costs
                 little.  To keep the name, a page of text must be outside of
                 the blocks.  */
  /* The following members of the site are for hugetext_choose:  */
  bool images; /* The index has records of images.  */
  enum hugetext_choice choice;
  struct hugetext_heat heat;
  uintptr_t copy_text; /* The minimum number of bytes of text with which a
                          block of unknown heat is worth a copy
                          (hugetext_copy_text).  */
  bool fixed;          /* The loader may not choose the object's address.  */
  bool steady;   /* The chosen address must not depend on what the page cache
                    holds.  */
  bool no_slack; /* The loader must not reserve address space beyond the object
                    itself.  */
  hugetext_ask *ask;
  void *closure;
};

/* Set PLACEMENT to the place at which blocks contain the most text of SITE's
   object.  Among places with about the same amount of text, prefer the place
   with the fewest blocks.  If the numbers of blocks are equal, prefer a place
   with the ELF header outside of the blocks, because debuggers, profilers and
   crash reporters do not find a header that is in a copy.  If two places are
   still equal, and the object should keep its name, prefer a place with a page
   of text outside of the blocks.  Return false if the object has no block at
   any place.  The caller need not initialise the memory ROOM.  */
extern bool hugetext_place (const struct hugetext_site *site,
                            struct hugetext_place_room *room,
                            struct hugetext_placement *placement);

/* Set PLACEMENT to the place at which the most text of SITE's object can be on
   huge pages of the object's own file.  Count only blocks that can be huge
   pages of the file.  Return false if no block can be a huge page of the
   file.  */
extern bool hugetext_place_congruent (const struct hugetext_site *site,
                                      struct hugetext_placement *placement);

/* If SITE's heat would be concentrated in clearly fewer blocks at another
   place, change PLACEMENT to this place.  */
extern void hugetext_place_by_heat (const struct hugetext_site *site,
                                    struct hugetext_placement *placement);

/* The results of hugetext_choose, apart from the place for the object.  */
struct hugetext_site_verdict
{
  bool file;  /* The object's file has, or may have, huge pages in the page
                 cache that can be mapped at the chosen place.  */
  bool stays; /* The object stays at the address that the kernel would
                 choose.  */
};

/* Choose the place of SITE's object.  On entry, PLACEMENT is the result of
   hugetext_place; an image from the store fits this place.  The function may
   change PLACEMENT to a place where fewer blocks contain the heat, or to a
   place for huge pages of the file.  The function asks the caller (SITE->ask)
   whether the page cache has huge pages of the file, and whether copies or an
   image can serve the object.  Call this function before any page of the
   object is accessed.  */
extern struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement);

#endif /* dl-hugetext-placement.h */
