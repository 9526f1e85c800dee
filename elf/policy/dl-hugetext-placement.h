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

/* A placement says at which addresses an object may be: its load bias is
   congruent to RESIDUE modulo MODULUS.  BEFORE bytes are reserved below the
   object's first page, and AFTER bytes above its last page.  */
struct hugetext_placement
{
  uintptr_t residue;
  uintptr_t modulus;
  uintptr_t before;
  uintptr_t after;
  uintptr_t text; /* The number of bytes of text in the blocks that the policy
                     has counted for this placement.  */
  size_t blocks;  /* The number of blocks of the object that can be huge with
                     this placement.  */
  bool header;    /* True if one of the counted blocks contains the object's
                     ELF header.  */
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
  struct hugetext_placement present; /* The placement that the policy is
                                        evaluating.  */
};

/* An object whose address the policy chooses, and the facts for the
   choice.  */
struct hugetext_site
{
  struct hugetext_object *object; /* The functions of this header change the
                                     members BIAS, LOW and HIGH of the object.
                                     Only the changes by hugetext_choose
                                     remain: all other functions restore BIAS,
                                     LOW and HIGH before they return.  */
  const struct hugetext_geometry *geo;
  uintptr_t pad_threshold;
  bool names; /* The object should keep the name of its file in /proc/PID/maps
                 if this costs little.  An object can keep the name only if a
                 page of its text is outside of the blocks.  */
  /* The following members of the site are for hugetext_choose:  */
  bool images; /* True if the index has records of images.  */
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

/* Set PLACEMENT to the placement with the most text of SITE's object in blocks
   that can be huge.  Among placements with about the same amount of text,
   prefer the placement with the fewest blocks.  If the numbers of blocks are
   equal, prefer a placement with the ELF header outside of the blocks, because
   debuggers, profilers and crash reporters do not find a header that is in a
   copy.  If the object should keep the name of its file, prefer, among
   placements that are still equal, a placement with a page of text outside of
   the blocks.  Return false if no placement gives the object a block.  The
   caller need not initialise the memory ROOM.  */
extern bool hugetext_place (const struct hugetext_site *site,
                            struct hugetext_place_room *room,
                            struct hugetext_placement *placement);

/* Set PLACEMENT to the placement with which huge pages of the object's own
   file can hold the most text of SITE's object.  Count only blocks that can be
   huge pages of the file.  Return false if no block can be a huge page of the
   file.  */
extern bool hugetext_place_congruent (const struct hugetext_site *site,
                                      struct hugetext_placement *placement);

/* If another placement concentrates the heat of SITE's object in clearly fewer
   blocks, change PLACEMENT to the other placement.  */
extern void hugetext_place_by_heat (const struct hugetext_site *site,
                                    struct hugetext_placement *placement);

/* The results of hugetext_choose, apart from the placement of the object.  */
struct hugetext_site_verdict
{
  bool file;  /* The object's file has, or may have, huge pages in the page
                 cache, and the loader can map them with the chosen
                 placement.  */
  bool stays; /* The object stays at the address that the kernel would
                 choose.  */
};

/* Choose the placement of SITE's object.  On entry, PLACEMENT must be the
   placement that hugetext_place has chosen.  (The command makes images for the
   placement that hugetext_place chooses.)  The function may change PLACEMENT
   to a placement that concentrates the heat in fewer blocks, or to a placement
   with which huge pages of the file can be mapped.  The function asks the
   caller (SITE->ask) whether the page cache has huge pages of the file, and
   whether copies or an image can serve the object.  Call this function before
   any page of the object is accessed.  */
extern struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement);

#endif /* dl-hugetext-placement.h */
