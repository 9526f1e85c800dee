/* Plans: which blocks of an object the loader's policy would make huge, and
   the reasons why it would not make the other blocks huge.
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
  uintptr_t start; /* The run-time address of the block.  */
  size_t text;     /* Bytes.  */
  uint32_t heat;   /* The heat of the block, or HUGETEXT_HEAT_UNKNOWN.  */
  enum hugetext_reason verdict;
  bool name;       /* True if the settings forbid a copy of this block, because
                      tools find the object's file by the mapping of this
                      block.  */
  bool spare;      /* True if the loader leaves the block mapped from the
                      object's file when it has copied all other text, so that
                      /proc/PID/maps shows the file's name.  */
  bool last;       /* True for a block with SPARE if no other text of the
                      object is mapped from the object's file.  The caller of
                      plan_cut sets LAST.  */
  bool congruent;  /* True if the block's address and file offset are
                      congruent, so that it can be a huge page of the object's
                      file.  */
  bool free;       /* True if the block would use no memory of the process,
                      because it is a huge page in the page cache.  The caller
                      of plan_cut must set FREE before the call.  */
  uint64_t offset; /* The block's file offset, if CONGRUENT.  */
};

/* The ways in which an object's address is chosen.  */
enum plan_place
{
  PLACE_FIXED, /* The address for which the object was linked.  */
  PLACE_BEST,  /* An address at which blocks contain the most text; among
                  addresses with equally much text, one with the fewest
                  blocks.  */
  PLACE_ANY,   /* The address that the stock loader would choose, because no
                  address makes the object's text huge.  */
  PLACE_FOUND, /* The present address of an object that is in a process.  */
};

/* The known heat of an object.  */
struct plan_heat
{
  struct hugetext_heat heat; /* The heat; its array of weights belongs to the
                                caller.  */
  bool stays;                /* True if the choice of the object's address must
                                not depend on the heat.  */
};

struct plan
{
  struct elf_object elf;
  struct plan_heat heat;
  uintptr_t threshold;
  enum plan_place place;
  struct hugetext_placement placement; /* The placement of the object.
                                          PLACEMENT is valid if PLACE is
                                          PLACE_BEST, or if PLACED is true.  */
  bool needs_path; /* True if the loader must not copy the object's text,
                      because the object may look for its own path in
                      /proc/self/maps, and the setting "names" keeps the
                      object's path in /proc/self/maps.  */
  bool placed;     /* True if PLACE is PLACE_FOUND, and PLACEMENT allows the
                      address of the object, so that the loader has probably
                      chosen the address.  */
  struct plan_block *blocks;
  size_t nblocks;
};

/* Make the plan for ELF, an object that elfobject_check accepts.  Assume that
   the page cache has no huge pages of the object's file, and that the store
   has no image of the object.  HEAT is the execution profile of the object,
   or NULL if it is unknown.  */
extern void plan_make (struct plan *plan, const struct elf_object *elf,
                       const struct settings *settings,
                       const struct plan_heat *heat);

/* Make the plan for ELF.  Assume that the page cache holds the whole file of
   the object in huge pages, and that the settings allow every backing.  */
extern void plan_make_primed (struct plan *plan, const struct elf_object *elf,
                              const struct settings *settings);

/* Return true if BLOCK can be a huge page of a file of SIZE bytes.  */
extern bool plan_fits_file (const struct plan_block *block, uint64_t size);

/* Return true if, under SETTINGS, a block of ELF can be a huge page of ELF's
   file, which has SIZE bytes.  Assume that the page cache holds the whole file
   in huge pages.  */
extern bool plan_gains_by_file (const struct elf_object *elf, uint64_t size,
                                const struct settings *settings);

/* Return a value of the setting "pad" with which the loader would make more of
   ELF's text huge than under SETTINGS.  The value is at most MOST.  Return 0
   if no value of the setting would make more text huge.  */
extern size_t plan_pad (const struct elf_object *elf,
                        const struct settings *settings, size_t most);

/* Make the plan for ELF at its present load bias BIAS.  SLACK is true if the
   loader may have reserved address space around ELF.  */
extern void plan_found (struct plan *plan, const struct elf_object *elf,
                        const struct settings *settings, uintptr_t bias,
                        bool slack, const struct plan_heat *heat);

/* Make the plan for ELF, a static program, at the address that the kernel will
   choose.  If ALIGNED is true, the kernel maps position-independent programs
   at a multiple of the size of a huge page.  If ALIGNED is false, the kernel
   maps position-independent programs at an arbitrary page, and the plan
   contains no huge pages of the file.  */
extern void plan_static (struct plan *plan, const struct elf_object *elf,
                         const struct settings *settings, bool aligned,
                         const struct plan_heat *heat);

extern void plan_free (struct plan *plan);

/* Allow at most CAP huge blocks for all COUNT PLANS together.  For each
   further block, set the verdict to the reason that the cap is used up.  PLANS
   are in the order in which the objects are loaded.  */
extern void plan_cut (struct plan plans[], size_t count, size_t cap);

/* Return true if the CPU reports how many huge pages its instruction TLB can
   hold.  If the CPU does not report the size of its instruction TLB, the
   default cap is the size of the smallest instruction TLB of a CPU in common
   use.  */
extern bool plan_cpu_says (void);

/* Return true if TEXT bytes are too little text to gain from huge pages, so
   that the loader leaves a process with TEXT bytes of text on small pages.
   TEXT does not include the loader's own text.  If a program's settings ask
   for huge pages, the loader uses huge pages even for too little text.  */
extern bool plan_is_small (size_t text);

/* Return how many blocks may be huge on this machine under SETTINGS.  */
extern size_t plan_cap (const struct settings *settings);

/* Return how many blocks may be copies, which use memory, under SETTINGS.  */
extern size_t plan_copies_cap (const struct settings *settings);

/* Return true if SETTINGS contain no cap, or a cap of at most the number of
   huge pages that the first-level instruction TLB holds.  If the CPU does not
   report the size of its TLB, use the size of the largest TLB in the manual's
   table of CPUs.  If the cap is too high, set PROBLEM to a text about the cost
   of a high cap, and return false.  */
extern bool plan_max_fits (const struct settings *settings,
                           struct problem *problem);

/* Return true if the cap in SETTINGS suffices for a program's hot text.  If
   the cap does not suffice, set PROBLEM and return false.  HOT is the number
   of hot blocks of the program, or 0 if unknown.  */
extern bool plan_hot_fits (size_t hot, const struct settings *settings,
                           struct problem *problem);

/* The text of the remedy if the cap does not suffice for a program's hot
   text.  */
#define PLAN_HOT_REMEDY                                                      \
  "make the hottest blocks huge first: hugetext adapt; or, before the next " \
  "start, hugetext profile"

/* Return false and set PROBLEM if the list of objects in SETTINGS does not
   allow the object NAME.  */
extern bool plan_check_name (const struct settings *settings, const char *name,
                             struct problem *problem);

#endif
