/* Policy of ld-hugetext: which huge pages an object's text should get.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: blocks, and what may lie in one.

   A *block* is one huge page of address space, aligned to its own size.
   A segment covers some of the small pages of some blocks:

     address   0x200000        0x400000        0x600000        0x800000
     blocks    |       A       |       B       |       C       |
     object       [ R ][         RX          ][  R  ][ RW      ]

   Block B is all text: an *interior* block.  In A and C text shares the
   block with read-only data and with the hole in front of the object: they
   are *edge* blocks.  A may be taken if the hole belongs to the object
   (slack reserved when it was placed, or a gap with no other mapping).
   C may not: it holds a page of the writable segment.  Had the object been
   placed so that R ends where C ends, all of its text could be huge.

   Nothing here, nor in the rest of the policy, makes a system call, allocates
   memory or keeps state: functions depend on their arguments alone, so that
   the loader, the command-line tool and the unit tests can share them.
   All addresses of segments are link-time addresses; those of blocks are
   run-time addresses, that is, with the load bias added.  */

#ifndef _DL_HUGETEXT_PLAN_H
#define _DL_HUGETEXT_PLAN_H 1

#include "dl-hugetext-object.h"
#include "dl-hugetext-rooms.h"

/* The number of ranks: blocks are ranked by how full of text they are, and by
   how hot they are, in this many steps each.  On x86-64 a block has this many
   small pages, so the ranking there is exact to the page.  */
#define HUGETEXT_RANKS 512

/* The huge page to which glibc.mem.hugetext_pad_threshold refers: the one for
   small pages of 4 KiB.  */
#define HUGETEXT_BLOCK_USUAL (2UL << 20)

/* The default of glibc.mem.hugetext_pad_threshold, in bytes.  */
#define HUGETEXT_PAD_DEFAULT 65536

/* Return the bytes of text that an edge block needs if the setting is
   THRESHOLD, which is scaled to the size of a block.  */
extern uintptr_t hugetext_threshold (const struct hugetext_geometry *geo,
                                     uintptr_t threshold);

/* Find the first block with text at or above run-time address FROM; false if
   there is none.  */
extern bool hugetext_next_block (const struct hugetext_object *object,
                                 const struct hugetext_geometry *geo,
                                 uintptr_t from, uintptr_t *block);

/* What is known of a block.  */
struct hugetext_block
{
  uintptr_t start;               /* Run-time address.  */
  uintptr_t text;                /* Bytes of text.  */
  enum hugetext_verdict verdict; /* Whether it may be taken, regardless of the
                                    cap.  */
  bool execute_only;             /* Text in it must not become readable.  */
  bool congruent;  /* It can be a huge page of the object's own file: all
                      pieces in it are at the same distance from their
                      offsets in the file, a multiple of the block size.  The
                      kernel decides whether the file is long enough.  */
  uint64_t offset; /* Its offset in the file then.  */
};

/* Judge the block at run-time address START.  An edge block needs
   PAD_THRESHOLD bytes of text; with 0 no edge block is taken.  */
extern struct hugetext_block
hugetext_block_judge (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold, uintptr_t start);

/* The number of small pages of text for which the second level of each usual
   CPU's instruction TLB has room: 512 in AMD's Zen to Zen 4, which have the
   fewest (bench/tlbsim/cpus).  Text that fits causes no page walks.  */
#define HUGETEXT_SMALL_PAGES 512

/* Whether a program with TEXT bytes of text, those of its libraries included,
   is too small to gain from huge pages.  ASKED: someone wants them for this
   very program.  */
static inline bool
hugetext_is_small (const struct hugetext_geometry *geo, uintptr_t text,
                   bool asked)
{
  return !asked && text < HUGETEXT_SMALL_PAGES * geo->page;
}

/* The value that stands for an unknown heat.  */
#define HUGETEXT_HEAT_UNKNOWN UINT32_MAX

/* Values of blocks by their heat: cold blocks are below HUGETEXT_VALUE_TEPID.
   The ranks of heat below HUGETEXT_HEAT_HOT end at half of all.  */
enum
{
  HUGETEXT_VALUE_TEPID = HUGETEXT_RANKS,
  HUGETEXT_VALUE_UNKNOWN = HUGETEXT_VALUE_TEPID + HUGETEXT_RANKS / 2,
  HUGETEXT_VALUE_HOT = HUGETEXT_VALUE_UNKNOWN + HUGETEXT_RANKS / 2,
  HUGETEXT_VALUES_OF_BLOCKS = HUGETEXT_VALUE_HOT + HUGETEXT_RANKS + 1
};

/* The ranking of the blocks of many objects against one cap, in two passes and
   constant memory: the caller counts all blocks, cuts, then asks for each
   block in the order of counting.  Among equals, earlier blocks are
   better.  */
struct hugetext_ranking
{
  size_t total;    /* Blocks counted.  */
  size_t ties;     /* The number of blocks of value CUT that may still be
                      taken.  */
  uintptr_t least; /* Bytes of text that a block needs to be counted and taken,
                      unless it is hot.  */
  int cut;         /* Blocks of a higher value are taken.  */
  bool small;      /* The program is too small: no block is taken.  */
  uint32_t count[HUGETEXT_VALUES_OF_BLOCKS];
};

/* Start with no blocks.  RANKING is all zeros, or has been started before.  */
extern void hugetext_ranking_init (struct hugetext_ranking *ranking);

/* Leave places free for libraries that the process may open later: the blocks
   to be counted come by dlopen, and the process has USED of its CAP blocks.
   The more places are in use, the fuller a block must be: programs open small
   libraries before large ones (firefox: 50 before libxul).  Hot blocks may
   take all places that are left.  A block keeps its place when a later one
   comes: libraries that are opened late are often used little.  */
extern void hugetext_ranking_keep_free (struct hugetext_ranking *ranking,
                                        const struct hugetext_geometry *geo,
                                        size_t used, size_t cap);

/* Count a block with TEXT bytes of text and heat HEAT.  */
extern void hugetext_ranking_add (struct hugetext_ranking *ranking,
                                  const struct hugetext_geometry *geo,
                                  uintptr_t text, uint32_t heat);

/* Cut at BUDGET blocks: the best of those that are counted.  */
extern void hugetext_ranking_cut (struct hugetext_ranking *ranking,
                                  size_t budget);

/* Return whether a block with TEXT bytes and HEAT is within the budget:
   HUGETEXT_TAKE, or why not.  Callers ask in the order of counting.  */
extern enum hugetext_verdict
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo, uintptr_t text,
                       uint32_t heat);

#endif /* dl-hugetext-plan.h */
