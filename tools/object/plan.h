/* Plans: which blocks of an object the loader's policy would make huge, and
   why not the others.
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
  uint32_t heat;   /* HUGETEXT_HEAT_UNKNOWN if unknown.  */
  enum hugetext_reason verdict;
  bool name;       /* Tools find the object by the block, and the settings
                      require that it is not a copy.  */
  bool congruent;  /* By its address and file offset, the block can be the
                      file's own huge page.  */
  uint64_t offset; /* The file offset, if CONGRUENT.  */
};

/* The place of an object.  */
enum plan_place
{
  PLACE_FIXED, /* At the address it was linked for.  */
  PLACE_BEST,  /* At the place with most text in the fewest blocks.  */
  PLACE_ANY,   /* At any place, as the stock loader chooses: huge text gains
                  nothing.  */
  PLACE_FOUND, /* At its present place in a process.  */
};

/* The heat of an object, if it is known.  */
struct plan_heat
{
  struct hugetext_heat heat; /* The caller owns its weights.  */
  bool stays;                /* The object's place does not depend on its
                                heat.  */
};

struct plan
{
  struct elf_object elf;
  struct plan_heat heat;
  uintptr_t threshold;
  enum plan_place place;
  struct hugetext_placement placement; /* For PLACE_BEST.  */
  struct plan_block *blocks;
  size_t nblocks;
};

/* Make the plan for ELF, which has no problem, as if its file had no huge
   pages and the store no image.  HEAT is NULL if unknown.  */
extern void plan_make (struct plan *plan, const struct elf_object *elf,
                       const struct settings *settings,
                       const struct plan_heat *heat);

/* The same as if all of the file were cached in huge pages, and any backing
   allowed.  */
extern void plan_make_primed (struct plan *plan, const struct elf_object *elf,
                              const struct settings *settings);

/* Make the plan for ELF at its present load bias BIAS.  SLACK says that the
   loader which placed it may have reserved address space around it.  */
extern void plan_found (struct plan *plan, const struct elf_object *elf,
                        const struct settings *settings, uintptr_t bias,
                        bool slack, const struct plan_heat *heat);

/* Make the plan for ELF, which is statically linked, at the address that the
   kernel will choose.  ALIGNED: the kernel puts a position-independent program
   at a huge page; otherwise at any page, and there is no plan for its file's
   huge pages.  */
extern void plan_static (struct plan *plan, const struct elf_object *elf,
                         const struct settings *settings, bool aligned,
                         const struct plan_heat *heat);

extern void plan_free (struct plan *plan);

/* Set the verdict of those blocks of the COUNT PLANS, which are in the order
   of loading, that do not fit into CAP blocks.  */
extern void plan_cut (struct plan plans[], size_t count, size_t cap);

/* Whether the CPU reports the number of huge pages in its instruction TLB.  If
   not, the default cap is the lowest number of the CPUs in use.  */
extern bool plan_cpu_says (void);

/* Return the cap of SETTINGS on this machine.  */
extern size_t plan_cap (const struct settings *settings);

/* Return the cap of SETTINGS for copies, which use memory.  */
extern size_t plan_copies_cap (const struct settings *settings);

/* If a program's hot text exceeds the cap of SETTINGS, return a sentence about
   it, in static memory; otherwise NULL.  HOT is the number of hot blocks, 0 if
   unknown.  */
extern const char *plan_hot_words (size_t hot,
                                   const struct settings *settings);

/* The remedy for that.  */
#define PLAN_HOT_REMEDY                                                    \
  "hugetext adapt, or hugetext profile before the next start: the hottest" \
  " blocks then come first"

/* Return why the list of objects in SETTINGS excludes the object NAME, in
   static memory; NULL if it does not.  */
extern const char *plan_forbidden (const struct settings *settings,
                                   const char *name);

#endif
