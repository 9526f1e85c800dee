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
   (slack reserved when it was placed, or a gap nobody else has mapped).
   C may not: it holds a page of the writable segment.  Had the object been
   placed so that R ends where C ends, all of its text could be huge.

   Nothing here makes a system call, allocates memory or keeps state, so
   that the loader, the command-line tool and the unit tests can share it.
   All addresses of segments are link-time addresses; those of blocks are
   run-time addresses, that is, with the load bias added.  */

#ifndef _DL_HUGETEXT_PLAN_H
#define _DL_HUGETEXT_PLAN_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object with more PT_LOAD segments than this is left alone.  Linkers
   make 4, BOLT up to 8; the arrays live on the loader's stack.  */
#define HUGETEXT_SEGMENTS_MAX 32

/* An object whose text touches more blocks than this is left alone (32 GiB
   with 2 MiB blocks): it bounds the time that a malformed program header
   can cost.  */
#define HUGETEXT_BLOCKS_MAX 16384

/* Blocks are ranked by how full of text they are, in this many steps.  It
   is the number of small pages in a block on x86-64, where the ranking is
   therefore exact to the page.  */
#define HUGETEXT_RANKS 512

/* Larger huge pages than this are not worth having for text (they are 32 MiB
   with small pages of 16 KiB, 512 MiB with 64 KiB).  Also the largest for
   which a mapping may be aligned without wasting much address space.  */
#define HUGETEXT_BLOCK_MAX (32UL << 20)

/* The huge page that glibc.mem.hugetext_pad_threshold speaks of, which goes
   with small pages of 4 KiB.  */
#define HUGETEXT_BLOCK_USUAL (2UL << 20)

/* Sizes in bytes, powers of two.  */
struct hugetext_geometry
{
  uintptr_t page;               /* Small page.  */
  uintptr_t block;              /* Huge page.  */
};

/* One PT_LOAD segment, addresses and lengths rounded to whole pages.  */
struct hugetext_segment
{
  uintptr_t start;              /* First page.  */
  uintptr_t end;                /* End of the last page.  */
  uintptr_t fileend;            /* End of the last page whose contents are
                                   the file's and nothing else; zero fill
                                   begins in the page after it.  */
  uintptr_t datastart;          /* p_vaddr.  */
  uintptr_t dataend;            /* p_vaddr + p_filesz.  */
  uint64_t offset;              /* File offset of START.  */
  bool read, write, exec;
};

/* Everything the policy needs to know about one object.  */
struct hugetext_object
{
  struct hugetext_segment segment[HUGETEXT_SEGMENTS_MAX];
  size_t nsegments;
  uintptr_t relro_start;        /* Link-time, rounded outwards to pages;  */
  uintptr_t relro_end;          /* equal if there is no RELRO.  */
  uintptr_t align;              /* Largest p_align, a power of two.  */
  uintptr_t bias;               /* Load bias.  */
  uintptr_t low, high;          /* Run-time range in which holes belong to
                                   the object, or may be claimed for it.  */
  int extra_prot;               /* Protection that its text needs besides
                                   PROT_READ and PROT_EXEC; not read by the
                                   policy.  */
};

/* Why a block is taken or not.  */
enum hugetext_verdict
{
  HUGETEXT_TAKE,
  HUGETEXT_NO_TEXT,             /* Not a byte of text in it.  */
  HUGETEXT_OUTSIDE,             /* Part of it lies beyond LOW or HIGH.  */
  HUGETEXT_WRITABLE,            /* It holds a page of a writable segment.  */
  HUGETEXT_RELRO,               /* It holds a page of RELRO.  */
  HUGETEXT_ZERO_FILL,           /* It holds zero fill (p_memsz > p_filesz)
                                   of a segment that is not writable.  */
  HUGETEXT_EXECUTE_ONLY,        /* Something that must not become readable,
                                   or be accessible at all, shares it with
                                   something that must be.  */
  HUGETEXT_BELOW_THRESHOLD,     /* An edge block with too little text.  */
  HUGETEXT_OVER_CAP             /* Better blocks used up the cap.  */
};

/* The sizes that go with small pages of PAGE bytes: a huge page is what one
   page of page table entries maps.  BLOCK is 0 if that is too large for
   text.  */
extern struct hugetext_geometry hugetext_geometry (uintptr_t page);

/* How much text a block that is not all text needs, where the setting says
   THRESHOLD.  */
extern uintptr_t hugetext_threshold (const struct hugetext_geometry *geo,
                                     uintptr_t threshold);

/* What is wrong with an object as a whole; NULL if nothing.  Checks that
   segments ascend, do not share pages and do not wrap around.  Must be
   called, and return NULL, before any other function sees OBJECT.  */
extern const char *hugetext_object_check (const struct hugetext_object *object,
                                          const struct hugetext_geometry *geo);

/* Bytes of text in all of OBJECT (segments that are executable and not
   writable, without zero fill).  */
extern uintptr_t hugetext_object_text (const struct hugetext_object *object);

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

/* Ranking of the blocks of many objects against one cap, in two passes and
   constant memory: count all of them, cut, then ask for each in the same
   order as they were counted.  */
struct hugetext_ranking
{
  uint32_t count[HUGETEXT_RANKS + 1];  /* Blocks by share of text.  */
  size_t cut;                   /* Ranks above this one are taken.  */
  size_t ties;                  /* How many of rank CUT are still taken.  */
};

/* Start with no blocks.  */
extern void hugetext_ranking_init (struct hugetext_ranking *ranking);

/* Count a block with TEXT bytes of text.  */
extern void hugetext_ranking_add (struct hugetext_ranking *ranking,
                                  const struct hugetext_geometry *geo,
                                  uintptr_t text);

/* Cut at BUDGET blocks: the ones with most text, earlier ones first among
   equals.  */
extern void hugetext_ranking_cut (struct hugetext_ranking *ranking,
                                  size_t budget);

/* Whether a block with TEXT bytes, asked in the order of counting, is
   within the budget.  */
extern bool hugetext_ranking_take (struct hugetext_ranking *ranking,
                                   const struct hugetext_geometry *geo,
                                   uintptr_t text);

/* Where to map an object: at a load bias congruent to RESIDUE modulo
   MODULUS, with BEFORE bytes reserved below its first page and AFTER bytes
   above its last one.  */
struct hugetext_placement
{
  uintptr_t residue;
  uintptr_t modulus;
  uintptr_t before;
  uintptr_t after;
  uintptr_t text;               /* Bytes of text in the blocks below.  */
  size_t blocks;                /* Blocks that can be taken there.  */
};

/* Find the placement of OBJECT (whose bias, low and high are not read) at
   which blocks can be huge pages of its own file.  PLACEMENT counts those
   alone.  Returns false if there is none.  */
extern bool hugetext_place_congruent (const struct hugetext_object *object,
                                      const struct hugetext_geometry *geo,
                                      uintptr_t pad_threshold,
                                      struct hugetext_placement *placement);

/* Whether the file's own huge pages at CONGRUENT are worth more than the
   copies that BEST would need.  */
extern bool
hugetext_prefer_congruent (const struct hugetext_placement *congruent,
                           const struct hugetext_placement *best);

/* Find the placement of OBJECT (whose bias, low and high are not read) that
   puts most of its text into blocks, then uses the fewest blocks.  Returns
   false if no placement gives it a single block.  */
extern bool hugetext_place (const struct hugetext_object *object,
                            const struct hugetext_geometry *geo,
                            uintptr_t pad_threshold,
                            struct hugetext_placement *placement);

#endif /* dl-hugetext-plan.h */
