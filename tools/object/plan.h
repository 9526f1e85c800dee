/* The loader's own plan for an object, asked from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLAN_H
#define PLAN_H

#include "dl-hugetext-placement.h"
#include "object/elfobject.h"
#include "object/settings.h"

/* One block of a plan.  */
struct plan_block
{
  uintptr_t start; /* Run-time address.  */
  size_t text;     /* Bytes.  */
  uint32_t heat;   /* HUGETEXT_HEAT_UNKNOWN if it is not known.  */
  enum hugetext_verdict verdict;
  bool congruent;  /* It can be the file's own huge page, as far as address */
  uint64_t offset; /* and this file offset go.  */
};

/* Where an object is put.  */
enum plan_place
{
  PLACE_FIXED, /* At the address it was linked for.  */
  PLACE_BEST,  /* Where most text gets into fewest blocks.  */
  PLACE_ANY,   /* Nothing to gain: as the stock loader does.  */
  PLACE_FOUND, /* It is there already.  */
};

/* The heat of an object, as far as it is known.  */
struct plan_heat
{
  struct hugetext_heat heat; /* Its weights belong to the caller.  */
  bool stays;                /* The object is not placed for it.  */
};

struct plan
{
  struct elf_object elf;
  struct plan_heat heat;
  uintptr_t threshold;
  enum plan_place place;
  struct hugetext_placement placement; /* If BEST.  */
  struct plan_block *blocks;
  size_t nblocks;
};

/* Make the plan for ELF, which has no problem, as if its file had no huge
   pages and the store no image.  HEAT is NULL if it is not known.  False if
   there is no memory.  */
extern bool plan_make (struct plan *plan, const struct elf_object *elf,
                       const struct settings *settings,
                       const struct plan_heat *heat);

/* The same for ELF where it is, at load bias BIAS.  */
extern bool plan_found (struct plan *plan, const struct elf_object *elf,
                        const struct settings *settings, uintptr_t bias,
                        const struct plan_heat *heat);

/* The same for ELF, which is statically linked, where the kernel will map it.
   ALIGNED: a position-independent program is put at a huge page; otherwise at
   any page, and no plan is made for its file's huge pages.  */
extern bool plan_static (struct plan *plan, const struct elf_object *elf,
                         const struct settings *settings, bool aligned,
                         const struct plan_heat *heat);

extern void plan_free (struct plan *plan);

/* The places in the file of the first blocks, at most three, that can be the
   file's own where ELF would be put for their sake.  Returns how many.  */
extern size_t plan_samples (const struct elf_object *elf,
                            const struct settings *settings,
                            uint64_t offset[static 3]);

/* Why there is no block for the object of PLAN at all, wherever it is put,
   and what would change it; NULL if there can be one.  In static memory.  */
extern const char *plan_hopeless (const struct plan *plan,
                                  const char **remedy);

/* Whether ELF has a place at which its file's huge pages would be preferred
   to copies.  */
extern bool plan_prefers_file (const struct elf_object *elf,
                               const struct settings *settings);

/* Give those blocks of the COUNT PLANS, in the order in which they are
   loaded, that do not fit into CAP blocks the verdict for that.  */
extern void plan_cut (struct plan plans[], size_t count, size_t cap);

/* The cap that SETTINGS mean here.  */
extern size_t plan_cap (const struct settings *settings);

/* The same for copies, which take memory.  */
extern size_t plan_copies_cap (const struct settings *settings);

/* Whether BLOCK is one that no sample has seen executing.  */
static inline bool
plan_is_cold (const struct plan_block *block)
{
  return hugetext_band_of (block->heat) == HUGETEXT_COLD;
}

/* Why a block got VERDICT, and what would change it ("" if nothing).  TEXT
   is the bytes in it.  In static memory.  */
extern const char *plan_reason (const struct plan_block *block,
                                const struct settings *settings);
extern const char *plan_remedy (const struct plan_block *block,
                                const struct settings *settings);

/* Why SETTINGS' objects do not allow the object NAME, in static memory; NULL
   if they do.  */
extern const char *plan_forbidden (const struct settings *settings,
                                   const char *name);

#endif
