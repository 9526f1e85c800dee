/* What the loader would do with an object: its own plan, asked from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLAN_H
#define PLAN_H

#include "dl-hugetext-placement.h"
#include "elfobject.h"
#include "settings.h"

/* One block of a plan.  */
struct plan_block
{
  uintptr_t start; /* Run-time address.  */
  size_t text;     /* Bytes.  */
  enum hugetext_verdict verdict;
  bool congruent;  /* It can be the file's own huge page, as far as address */
  uint64_t offset; /* and this file offset go.  */
};

/* Where an object is put.  */
enum plan_place
{
  PLACE_FIXED,     /* At the address it was linked for.  */
  PLACE_CONGRUENT, /* Where its file's huge pages fit.  */
  PLACE_BEST,      /* Where most text gets into fewest blocks.  */
  PLACE_ANY,       /* Nothing to gain: as the stock loader does.  */
  PLACE_FOUND,     /* It is there already.  */
};

struct plan
{
  struct elf_object elf;
  uintptr_t threshold;
  enum plan_place place;
  struct hugetext_placement placement; /* If CONGRUENT or BEST.  */
  struct plan_block *blocks;
  size_t nblocks;
};

/* Make the plan for ELF, which has no problem.  FILE_FITS says that its
   file's huge pages are to be had, if they are wanted: place it for them.
   False if there is no memory.  */
extern bool plan_make (struct plan *plan, const struct elf_object *elf,
                       const struct settings *settings, bool file_fits);

/* The same for ELF where it is, at load bias BIAS.  */
extern bool plan_found (struct plan *plan, const struct elf_object *elf,
                        const struct settings *settings, uintptr_t bias);

extern void plan_free (struct plan *plan);

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

/* Why a block got VERDICT, and what would change it ("" if nothing).  TEXT
   is the bytes in it.  In static memory.  */
extern const char *plan_reason (const struct plan_block *block,
                                const struct settings *settings);
extern const char *plan_remedy (const struct plan_block *block,
                                const struct settings *settings);

/* A short name of VERDICT, for programs.  */
extern const char *plan_name (enum hugetext_verdict verdict);

#endif
