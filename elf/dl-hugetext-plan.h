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

   Nothing here makes a system call, allocates memory or keeps state, so
   that the loader, the command-line tool and the unit tests can share it.
   All addresses of segments are link-time addresses; those of blocks are
   run-time addresses, that is, with the load bias added.  */

#ifndef _DL_HUGETEXT_PLAN_H
#define _DL_HUGETEXT_PLAN_H 1

#include "dl-hugetext-index.h"
#include "dl-hugetext-object.h"

/* Blocks are ranked by how full of text they are, in this many steps, and as
   many by how hot they are.  It is the number of small pages in a block on
   x86-64, where the ranking is therefore exact to the page.  */
#define HUGETEXT_RANKS 512

/* The huge page that glibc.mem.hugetext_pad_threshold speaks of, which goes
   with small pages of 4 KiB.  */
#define HUGETEXT_BLOCK_USUAL (2UL << 20)

/* The default of the setting.  */
#define HUGETEXT_PAD_DEFAULT 65536

/* How much text a block that is not all text needs, where the setting says
   THRESHOLD.  */
extern uintptr_t hugetext_threshold (const struct hugetext_geometry *geo,
                                     uintptr_t threshold);

/* Bytes of text in the block at run-time address BLOCK.  */
extern uintptr_t hugetext_block_text (const struct hugetext_object *object,
                                      const struct hugetext_geometry *geo,
                                      uintptr_t block);

/* The first block with text at or above run-time address FROM; false if
   there is none.  */
extern bool hugetext_next_block (const struct hugetext_object *object,
                                 const struct hugetext_geometry *geo,
                                 uintptr_t from, uintptr_t *block);

/* Whether BLOCK may be taken, regardless of the cap.  PAD_THRESHOLD in
   bytes: an edge block needs that much text; 0 means no edge blocks.  */
extern enum hugetext_verdict
hugetext_block_judge (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold, uintptr_t block);

/* Whether BLOCK, which may be taken, can be a huge page of the object's own
   file: all that lies in it is at the same distance from its place in the
   file, and that distance is a multiple of the block size.  Sets OFFSET to
   the file offset of the block.  That the file is long enough is for the
   kernel to say.  */
extern bool hugetext_block_file_offset (const struct hugetext_object *object,
                                        const struct hugetext_geometry *geo,
                                        uintptr_t block, uint64_t *offset);

/* True if text in BLOCK must not become readable.  */
extern bool hugetext_block_execute_only (const struct hugetext_object *object,
                                         const struct hugetext_geometry *geo,
                                         uintptr_t block);

/* The heat of a block outside of which its process is never, and that of one
   of which nothing is known.  */
#define HUGETEXT_HEAT_MAX 65535
#define HUGETEXT_HEAT_UNKNOWN UINT32_MAX

/* A block with less of what its process executes is not worth a place that
   one of which nothing is known might need more: 1 in 256.  */
#define HUGETEXT_HEAT_HOT 256

/* The heat of BLOCK of OBJECT, of which HEAT is known: 65535 if the process
   was nowhere else, 0 if it was never seen in it.  */
extern uint32_t hugetext_block_heat (const struct hugetext_object *object,
                                     const struct hugetext_geometry *geo,
                                     const struct hugetext_heat *heat,
                                     uintptr_t block);

/* Blocks are ranked by their heat as far as it is known.  Where nothing is,
   text has to do, and all are in the same band.  */
enum hugetext_band
{
  HUGETEXT_COLD,    /* Nothing of it was seen to be executed.  */
  HUGETEXT_TEPID,   /* Little was.  */
  HUGETEXT_UNKNOWN, /* It was not asked.  */
  HUGETEXT_HOT,
  HUGETEXT_BANDS
};

extern enum hugetext_band hugetext_band_of (uint32_t heat);

/* A number that is higher for better blocks, of those with TEXT bytes and heat
   HEAT; those that come first are better among equals.  */
extern uint32_t hugetext_block_value (const struct hugetext_geometry *geo,
                                      uintptr_t text, uint32_t heat);

/* Ranking of the blocks of many objects against one cap, in two passes and
   constant memory: count all of them, cut, then ask for each in the same
   order as they were counted.  The best are those with most heat from the
   band HUGETEXT_HOT, then of the others the ones with most text, or heat in
   the band HUGETEXT_TEPID; earlier ones first among equals.  */
struct hugetext_ranking
{
  size_t total;                /* Blocks counted,  */
  size_t band[HUGETEXT_BANDS]; /* and of which bands.  */
  enum hugetext_band cut_band; /* Bands above this one are taken, and of it  */
  size_t cut;                  /* ranks above this one.  */
  size_t ties;                 /* How many of rank CUT are still taken.  */
  uintptr_t least;             /* Bytes of text without which a block that is
                                  not hot is not counted and not taken.  */
  uint32_t text[HUGETEXT_RANKS + 1]; /* Unknown blocks by share of text.  */
  /* Not touched where nothing is known of heat.  */
  uint32_t cold[HUGETEXT_RANKS + 1]; /* Cold ones, likewise.  */
  uint32_t heat[HUGETEXT_RANKS + 1]; /* All others by heat.  */
};

/* Start with no blocks.  RANKING is all zeros, or has been started before.  */
extern void hugetext_ranking_init (struct hugetext_ranking *ranking);

/* The blocks to be counted come by dlopen, into a process that has USED of
   its CAP blocks: leave some for others that may come still.  The more are in
   use, the fuller a block has to be: programs open small libraries before
   large ones (firefox: 50 before libxul).  Hot ones may take what is left.
   Nothing is ever taken away for a newcomer: what is opened late is often used
   but a little.  */
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

/* Whether a block with TEXT bytes and heat HEAT, asked in the order of
   counting, is within the budget: HUGETEXT_TAKE if so, or else why not.  */
extern enum hugetext_verdict
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo, uintptr_t text,
                       uint32_t heat);

#endif /* dl-hugetext-plan.h */
