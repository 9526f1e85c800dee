/* Policy of ld-hugetext: the choice of huge pages for the text of an object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: blocks, and what a block may contain.

   A *block* is one huge page of address space, aligned to its own size.  A
   segment covers some of the small pages of some blocks:

     address   0x200000        0x400000        0x600000        0x800000
     blocks    |       A       |       B       |       C       |
     object       [ R ][         RX          ][  R  ][ RW      ]

   Block B is all text: an *interior* block.  Blocks A and C contain other
   bytes than text: they are *edge* blocks.  Block A also contains read-only
   data and the hole in front of the object.  The loader may make A huge if the
   hole belongs to the object, that is, the hole is slack that the loader
   reserved or a gap with no other mapping.  Block C also contains a page of
   the writable segment, so the loader must not make C huge.  At an address
   where R ends at the end of block C, all text of the object could be huge.
   To *take* a block is to choose it for a huge page.

   No function of the policy makes a system call, allocates memory or keeps
   state.  The result of a function depends on its arguments alone, so that the
   loader, the command and the unit tests can share the policy.  All addresses
   of segments are link-time addresses.  The addresses of blocks are run-time
   addresses, which include the load bias.  */

#ifndef _DL_HUGETEXT_PLAN_H
#define _DL_HUGETEXT_PLAN_H 1

#include "dl-hugetext-object.h"
#include "dl-hugetext-modules.h"

/* The number of ranks of blocks by their bytes of text, and of ranks by their
   heat.  On x86-64 a block has as many small pages as there are ranks, so that
   a rank stands for an exact number of pages of text.  */
#define HUGETEXT_RANKS 512

/* The size of a huge page, in bytes, where small pages have 4 KiB.  The
   setting glibc.mem.hugetext_pad_threshold is given for blocks of this
   size.  */
#define HUGETEXT_BLOCK_USUAL (2UL << 20)

/* Return the minimum bytes of text for an edge block, by the setting
   THRESHOLD.  In blocks larger than HUGETEXT_BLOCK_USUAL, at least half of the
   block must be text.  A THRESHOLD of 0 stays 0.  */
extern uintptr_t hugetext_threshold (const struct hugetext_geometry *geo,
                                     uintptr_t threshold);

/* Set *BLOCK to the first block that has text at or above the run-time address
   FROM.  Return false if the object has no such text.  */
extern bool hugetext_next_block (const struct hugetext_object *object,
                                 const struct hugetext_geometry *geo,
                                 uintptr_t from, uintptr_t *block);

/* The policy's facts about a block.  */
struct hugetext_block
{
  uintptr_t start;              /* Run-time address.  */
  uintptr_t text;               /* Bytes of text.  */
  enum hugetext_reason verdict; /* The reason why the policy refuses the block,
                                   or HUGETEXT_TAKE.  The cap is not
                                   considered.  */
  bool execute_only;            /* The block has text that must not become
                                   readable.  */
  bool congruent;  /* The block can be a huge page of the object's own file:
                      for all segments in the block, address minus file offset
                      is the same multiple of the block size.  Only the kernel
                      knows whether the file is long enough.  */
  uint64_t offset; /* The block's file offset, if CONGRUENT.  */
};

/* Judge the block at run-time address START.  An edge block needs at least
   PAD_THRESHOLD bytes of text.  If PAD_THRESHOLD is 0, the function refuses
   all edge blocks.  */
extern struct hugetext_block
hugetext_block_judge (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold, uintptr_t start);

/* The value of an address that means "no block".  */
#define HUGETEXT_NO_BLOCK UINTPTR_MAX

/* The blocks that stay mapped from the object's file, so that tools find the
   object by the name of its file.  A member is HUGETEXT_NO_BLOCK if no block
   has to stay.  */
struct hugetext_name
{
  uintptr_t header; /* The block with the ELF header.  */
  uintptr_t text;   /* The block whose text stays mapped from the file, if no
                       other text does.  */
};

/* The limit on the cost of an object's name under HUGETEXT_NAMES_CHEAPLY.  The
   blocks that keep the name may hold 1 / HUGETEXT_NAME_SHARE of the object's
   text in blocks.  If the object's heat is known, the limit applies to the
   heat (doc/experiments/names).  */
#define HUGETEXT_NAME_SHARE 8

/* Return the blocks of OBJECT that must stay mapped from the file to keep the
   object's name, by the setting NAMING.  For the piece of text, the function
   chooses the block that the ranking would drop first.  No such block is
   needed if other text stays mapped from the file: text in refused blocks, or
   text in the block with the ELF header.  */
extern struct hugetext_name hugetext_name_blocks (
    const struct hugetext_object *object, const struct hugetext_geometry *geo,
    uintptr_t pad_threshold, const struct hugetext_heat *heat,
    enum hugetext_naming naming);

/* Whether the block at START is one of the blocks in NAME.  */
static inline bool
hugetext_is_name (const struct hugetext_name *name, uintptr_t start)
{
  return start == name->header || start == name->text;
}

/* The number of small pages that fit in the second-level instruction TLB of
   every usual CPU.  AMD's CPUs from Zen to Zen 4 have the fewest entries, 512
   (lab/tlbsim/cpus).  Text of at most this many pages causes no page
   walks.  */
#define HUGETEXT_SMALL_PAGES 512

/* Whether a setting asks for huge pages for one program by its name.
   FROM_INDEX and FROM_TUNABLE have a bit for each key that the index or a
   tunable sets.  NAMED says that the index's section names the program.  The
   key HUGETEXT_KEY_MODE of FROM_TUNABLE does not count.  Settings for all
   programs, or for a directory, apply only to programs that can gain.  */
static inline bool
hugetext_is_asked (uint32_t from_index, bool named, uint32_t from_tunable)
{
  return ((from_index != 0 && named)
          || (from_tunable & ~(1u << HUGETEXT_KEY_MODE)) != 0);
}

/* The least bytes of text with which a process is large enough to gain.  */
static inline uintptr_t
hugetext_small_text (const struct hugetext_geometry *geo)
{
  return HUGETEXT_SMALL_PAGES * geo->page;
}

/* Whether a process is too small to gain from huge pages.  TEXT is the bytes
   of text in all objects of the process, ASKED is the result of
   hugetext_is_asked.  An object's large p_align does not ask for huge pages:
   Debian aligns even libraries of a few pages to the size of a huge page.  */
static inline bool
hugetext_is_small (const struct hugetext_geometry *geo, uintptr_t text,
                   bool asked)
{
  return !asked && text < hugetext_small_text (geo);
}

/* The assumed bytes of text in the libraries of a program.  Most text of the
   libraries is in libc (glibc's has 1.4 MiB).  */
static inline uintptr_t
hugetext_text_to_come (const struct hugetext_geometry *geo)
{
  return hugetext_small_text (geo) / 4 * 3;
}

/* The minimum bytes of text for a block of a library that a small program
   opens: half of a block.  A small program had too little text for huge pages
   at its start.  Small programs open name service modules, for example, and
   use them little.  */
static inline uintptr_t
hugetext_late_text (const struct hugetext_geometry *geo)
{
  return geo->block / 2;
}

/* The value of an unknown heat.  */
#define HUGETEXT_HEAT_UNKNOWN UINT32_MAX

/* The first values of the kinds of blocks in the ranking, by heat.  The values
   of cold blocks are at most HUGETEXT_VALUE_TEPID.  A heat below
   HUGETEXT_HEAT_HOT has a rank of at most half of HUGETEXT_RANKS.
   HUGETEXT_VALUE_FREE, a quarter of the value of a full block, is added for a
   block that uses no memory of the process.  has_much_there in
   dl-hugetext-placement.c uses the same quarter.  */
enum
{
  HUGETEXT_VALUE_FREE = HUGETEXT_RANKS / 4,
  HUGETEXT_VALUE_TEPID = HUGETEXT_RANKS + HUGETEXT_VALUE_FREE,
  HUGETEXT_VALUE_UNKNOWN = HUGETEXT_VALUE_TEPID + HUGETEXT_RANKS / 2,
  HUGETEXT_VALUE_HOT
  = HUGETEXT_VALUE_UNKNOWN + HUGETEXT_VALUE_FREE + HUGETEXT_RANKS / 2,
  HUGETEXT_VALUES_OF_BLOCKS = HUGETEXT_VALUE_HOT + HUGETEXT_RANKS + 1
};

/* A block that the policy may choose for a huge page.  */
struct hugetext_candidate
{
  uintptr_t text; /* Bytes of text.  */
  uint32_t heat;
  bool free; /* The block uses no memory of the process: its huge page belongs
                to the object's file or to an image.  */
};

/* The number of an object's full blocks that the ranking counts one by one.
   Further full blocks are ranked in the order of objects: with a cap that
   large no object gets too few blocks.  */
#define HUGETEXT_LEVELS 64

/* The number of each object's full blocks that rank equal to blocks without
   costs in memory.  So 400 MB of images cannot take all huge pages from the
   copies of a program of 4 MiB.  */
#define HUGETEXT_FIRST_BLOCKS 8

/* The ranking of the blocks of many objects for one cap, in two passes and
   constant memory.  The caller first counts all blocks and cuts the ranking,
   then asks for each block in the order of counting.  Among blocks of equal
   value, the earlier block wins.  Full blocks of unknown heat are an
   exception: all objects get equal numbers of such blocks, if they have
   enough.  So the first of several libraries of 400 MB does not take the whole
   cap, although the loader does not know which library's text runs.  */
struct hugetext_ranking
{
  size_t total;    /* The number of blocks counted.  */
  uint32_t left;   /* The number of blocks that the ranking may still choose.
                      The heat of a block may differ from when the block was
                      counted, because another index was installed.  */
  uint32_t ties;   /* The number of blocks of value CUT that the ranking may
                      still choose.  */
  uintptr_t least; /* The minimum bytes of text for a block, unless it is
                      hot.  A block with less text is not counted and not
                      chosen.  */
  uintptr_t required; /* A second minimum like LEAST, set by
                         hugetext_ranking_require.  A block needs the larger of
                         both.  */
  size_t share;       /* The maximum number of blocks, without hot ones, if the
                         budget is less than the blocks counted.  */
  int cut;            /* All blocks with a higher value are chosen.  */
  bool small;         /* The program is too small: no block is chosen.  */
  bool scarce;        /* The budget is less than all blocks, so blocks that no
                         backing can serve are not counted.  */
  bool shared;        /* The limit is SHARE, not the budget.  */
  bool late;          /* The blocks are of libraries that a process opens by
                         dlopen: cold blocks are not counted, because they
                         would keep out hot ones of the next library.  */
  uint32_t level;     /* The number of full blocks that each object gets of the
                         value CUT.  */
  uint32_t nfull[2];  /* The number of full blocks of the present object.
                         NFULL[0] counts blocks that use memory.  NFULL[1]
                         counts blocks that use no memory, and the first
                         HUGETEXT_FIRST_BLOCKS blocks.  */
  uint16_t reach[2][HUGETEXT_LEVELS]; /* REACH[I][N] is the number of objects
                                         with more than N full blocks of the
                                         kind of NFULL[I].  */
  uint32_t count[HUGETEXT_VALUES_OF_BLOCKS];
};

/* Start a ranking with no blocks.  Before the first call, RANKING must be all
   zeros.  */
extern void hugetext_ranking_init (struct hugetext_ranking *ranking);

/* Reserve a part of the cap for libraries that the process may open later.
   The caller will count blocks of libraries that a process opens by dlopen.
   The process already uses USED of its CAP blocks.  The more of the cap is in
   use, the more text a block must have: programs open small libraries before
   large ones (firefox opens 50 before libxul).  If the libraries have more
   blocks than the cap allows, an eighth of the unused cap stays free: torch
   opens 400 MB of CUDA libraries before the libraries that it runs.  Hot
   blocks may use all of the cap.  A block stays huge when a later library has
   better blocks, because programs often use later libraries little.  */
extern void hugetext_ranking_keep_free (struct hugetext_ranking *ranking,
                                        const struct hugetext_geometry *geo,
                                        size_t used, size_t cap);

/* From now on, count only hot blocks and blocks with at least TEXT bytes of
   text.  */
extern void hugetext_ranking_require (struct hugetext_ranking *ranking,
                                      uintptr_t text);

/* Begin with the blocks of the next object, in the first or second pass.  */
extern void hugetext_ranking_next_object (struct hugetext_ranking *ranking);

/* Count BLOCK.  */
extern void hugetext_ranking_add (struct hugetext_ranking *ranking,
                                  const struct hugetext_geometry *geo,
                                  const struct hugetext_candidate *block);

/* Cut the ranking: choose the best BUDGET of the counted blocks.  */
extern void hugetext_ranking_cut (struct hugetext_ranking *ranking,
                                  size_t budget);

/* Return HUGETEXT_TAKE if BLOCK is within the budget, otherwise the reason why
   BLOCK stays on small pages.  The caller must ask for blocks in the order of
   counting.  */
extern enum hugetext_reason
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo,
                       const struct hugetext_candidate *block);

#endif /* dl-hugetext-plan.h */
