/* Plans: which blocks of an object the loader's policy would make huge, and
   why it would not make others huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLAN_H
#define PLAN_H

#include "util/problem.h"
#include "dl-hugetext-placement.h"
#include "object/elfobject.h"
#include "object/settings.h"

/* One block of a plan.  */
struct plan_block
{
  uintptr_t start; /* Run-time address.  */
  size_t text;     /* Bytes.  */
  uint32_t heat;   /* The block's heat; HUGETEXT_HEAT_UNKNOWN if unknown.  */
  enum hugetext_reason verdict;
  bool name;       /* Tools find the object's file by the mapping of this
                      block, and the settings require that the block is not a
                      copy.  */
  bool congruent;  /* By its address and file offset, the block can be the
                      file's own huge page.  */
  uint64_t offset; /* The block's file offset, if CONGRUENT.  */
};

/* How the address of an object is chosen.  */
enum plan_place
{
  PLACE_FIXED, /* At the address for which the object was linked.  */
  PLACE_BEST,  /* At an address where the fewest blocks have the most text.  */
  PLACE_ANY,   /* At any address, as the stock loader chooses it: no address
                  gains huge text.  */
  PLACE_FOUND, /* At the object's present address in a process.  */
};

/* The heat of an object, if it is known.  */
struct plan_heat
{
  struct hugetext_heat heat; /* The heat; the caller owns the array of
                                weights.  */
  bool stays;                /* The object's address does not depend on its
                                heat.  */
};

struct plan
{
  struct elf_object elf;
  struct plan_heat heat;
  uintptr_t threshold;
  enum plan_place place;
  struct hugetext_placement placement; /* The placement, if the address is
                                          chosen by PLACE_BEST, or PLACED.  */
  bool needs_path; /* The object must not be copied, because it may look for
                      its own path, and the settings keep names.  */
  bool placed; /* PLACE is PLACE_FOUND, and the loader has probably chosen the
                  address: PLACEMENT allows it.  */
  struct plan_block *blocks;
  size_t nblocks;
};

/* Make the plan for ELF, which has no problem, as if its file had no huge
   pages and the store no image.  HEAT is NULL if unknown.  */
extern void plan_make (struct plan *plan, const struct elf_object *elf,
                       const struct settings *settings,
                       const struct plan_heat *heat);

/* Make the plan for ELF as if the page cache had all of its file on huge
   pages, and the settings allowed any backing.  */
extern void plan_make_primed (struct plan *plan, const struct elf_object *elf,
                              const struct settings *settings);

/* Make the plan for ELF at its present load bias BIAS.  If SLACK, the loader
   may have reserved address space around ELF.  */
extern void plan_found (struct plan *plan, const struct elf_object *elf,
                        const struct settings *settings, uintptr_t bias,
                        bool slack, const struct plan_heat *heat);

/* Make the plan for ELF, which is statically linked, at the address that the
   kernel will choose.  If ALIGNED, the kernel maps a position-independent
   program at a multiple of a huge page's size.  Otherwise the kernel maps it
   at any page, and the plan uses no huge pages of its file.  */
extern void plan_static (struct plan *plan, const struct elf_object *elf,
                         const struct settings *settings, bool aligned,
                         const struct plan_heat *heat);

extern void plan_free (struct plan *plan);

/* Set the verdict of those blocks of the COUNT PLANS that exceed the limit of
   CAP blocks.  PLANS is in the order of loading.  */
extern void plan_cut (struct plan plans[], size_t count, size_t cap);

/* Whether the CPU reports the number of huge pages in its instruction TLB.  If
   the CPU does not, the default cap is the lowest number of any CPU model in
   use.  */
extern bool plan_cpu_says (void);

/* Return the maximum number of huge blocks by SETTINGS on this machine.  */
extern size_t plan_cap (const struct settings *settings);

/* Return the maximum number of blocks that may be copies, which use memory, by
   SETTINGS.  */
extern size_t plan_copies_cap (const struct settings *settings);

/* Return false if a program's hot text exceeds the cap of SETTINGS.  HOT is
   the number of hot blocks, 0 if unknown.  */
extern bool plan_hot_fits (size_t hot, const struct settings *settings,
                           struct problem *problem);

/* The remedy if a program's hot text exceeds the cap.  */
#define PLAN_HOT_REMEDY                                                    \
  "hugetext adapt, or hugetext profile before the next start: the hottest" \
  " blocks then come first"

/* Return false if the list of objects in SETTINGS excludes the object
   NAME.  */
extern bool plan_check_name (const struct settings *settings, const char *name,
                             struct problem *problem);

#endif
