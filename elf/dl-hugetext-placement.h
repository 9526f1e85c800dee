/* Policy of ld-hugetext: where an object's text can lie on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-plan.h explains blocks.  Nothing here makes a system call,
   allocates memory or keeps state.  */

#ifndef _DL_HUGETEXT_PLACEMENT_H
#define _DL_HUGETEXT_PLACEMENT_H 1

#include "dl-hugetext-chain.h"
#include "dl-hugetext-plan.h"

/* Where to map an object: at a load bias congruent to RESIDUE modulo
   MODULUS, with BEFORE bytes reserved below its first page and AFTER bytes
   above its last one.  */
struct hugetext_placement
{
  uintptr_t residue;
  uintptr_t modulus;
  uintptr_t before;
  uintptr_t after;
  uintptr_t text; /* Bytes of text in the blocks below.  */
  size_t blocks;  /* Blocks that can be taken there.  */
  bool header;    /* One of them holds the ELF header.  */
  uint64_t heat;  /* How well heat is gathered in them; 0 if it
                     is not known.  */
};

/* Find the placement of OBJECT (whose bias, low and high are not read, and in
   the end are what they were) at which blocks can be huge pages of its own
   file.  PLACEMENT counts those alone.  Returns false if there is none.  */
extern bool hugetext_place_congruent (struct hugetext_object *object,
                                      const struct hugetext_geometry *geo,
                                      uintptr_t pad_threshold,
                                      struct hugetext_placement *placement);

/* Likewise what there is at the residue at which link-time address BOUNDARY is
   at a block boundary.  False if OBJECT may not lie there, or has nothing.  */
extern bool hugetext_place_at (struct hugetext_object *object,
                               const struct hugetext_geometry *geo,
                               uintptr_t pad_threshold, uintptr_t boundary,
                               struct hugetext_placement *placement);

/* Find the placement of OBJECT (of whose bias, low and high the same is true)
   that puts most of its text into blocks, then uses the fewest blocks, then
   leaves the ELF header out of them: in a copy debuggers, profilers and crash
   reporters do not find it.  Returns false if no placement gives it a single
   block.  */
extern bool hugetext_place (struct hugetext_object *object,
                            const struct hugetext_geometry *geo,
                            uintptr_t pad_threshold,
                            struct hugetext_placement *placement);

/* Find out how well HEAT, which is known of OBJECT (of whose bias, low and
   high the same is true), is gathered in few blocks at PLACEMENT, and set its
   heat to that: the sum of the squares of what each block has.  */
extern void hugetext_place_heat (struct hugetext_object *object,
                                 const struct hugetext_geometry *geo,
                                 uintptr_t pad_threshold,
                                 const struct hugetext_heat *heat,
                                 struct hugetext_placement *placement);

/* Change PLACEMENT of OBJECT, of which HEAT is known, to one that gathers it
   better, if there is one that does by much.  */
extern void hugetext_place_by_heat (struct hugetext_object *object,
                                    const struct hugetext_geometry *geo,
                                    uintptr_t pad_threshold,
                                    const struct hugetext_heat *heat,
                                    struct hugetext_placement *placement);

/* Whether PLACEMENT has room that the object itself does not need.  */
static inline bool
hugetext_has_slack (const struct hugetext_placement *placement)
{
  return placement->before != 0 || placement->after != 0;
}

/* An object for which a place is chosen.  */
struct hugetext_site
{
  struct hugetext_object *object; /* Its bias, low and high change.  */
  const struct hugetext_geometry *geo;
  uintptr_t pad_threshold;
  enum hugetext_choice choice;
  struct hugetext_heat heat;
  bool fixed;    /* Its address is not ours to choose.  */
  bool no_slack; /* The loader also takes no more address space than the object
                    needs.  */
  hugetext_ask *ask;
  void *closure;
  uint64_t image; /* Link-time address of the first block of its
                     image, set by the caller that says it has
                     one.  */
};

/* The place that was chosen.  */
struct hugetext_site_verdict
{
  bool file;  /* Its file has, or may have, huge pages for it
                 there.  */
  bool stays; /* It is left where the kernel would put
                 it.  */
};

/* Choose the place of SITE's object: change PLACEMENT, which hugetext_place
   has made, to where heat is in fewer blocks, where an image in the store
   serves, or where its text can be huge pages of the file; whether those can
   be had is asked before anything of the object is touched.  */
extern struct hugetext_site_verdict
hugetext_choose (const struct hugetext_site *site,
                 struct hugetext_placement *placement);

#endif /* dl-hugetext-placement.h */
