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
#include "dl-hugetext-modules.h"

/* The number of ranks.  Blocks are ranked by how full of text they are, and by
   how hot they are, in this many steps each.  On x86-64 a block has this many
   small pages, so that the ranking is exact to the page.  */
#define HUGETEXT_RANKS 512

/* The block size for which glibc.mem.hugetext_pad_threshold is given: a huge
   page with small pages of 4 KiB, in bytes.  */
#define HUGETEXT_BLOCK_USUAL (2UL << 20)

/* Return the bytes of text that an edge block needs for the setting THRESHOLD,
   scaled to the size of a block.  */
extern uintptr_t hugetext_threshold (const struct hugetext_geometry *geo,
                                     uintptr_t threshold);

/* Find the first block with text at or above run-time address FROM; false if
   there is none.  */
extern bool hugetext_next_block (const struct hugetext_object *object,
                                 const struct hugetext_geometry *geo,
                                 uintptr_t from, uintptr_t *block);

/* What the policy knows of a block.  */
struct hugetext_block
{
  uintptr_t start;              /* Run-time address.  */
  uintptr_t text;               /* Bytes of text.  */
  enum hugetext_reason verdict; /* Why it may not be taken, ignoring
                                   the cap.  */
  bool execute_only;            /* The block has text that must not become
                                   readable.  */
  bool congruent;  /* The block can be a huge page of the object's own file:
                      for all pieces in it, address minus file offset is the
                      same multiple of the block size.  The kernel decides
                      whether the file is long enough.  */
  uint64_t offset; /* The block's file offset, if CONGRUENT.  */
};

/* Judge the block at run-time address START.  An edge block needs
   PAD_THRESHOLD bytes of text; if that is 0, no edge block is taken.  */
extern struct hugetext_block
hugetext_block_judge (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold, uintptr_t start);

/* The address that stands for no block.  */
#define HUGETEXT_NO_BLOCK UINTPTR_MAX

/* The blocks of an object that are not copied, so that tools find the object
   by the name of its file; HUGETEXT_NO_BLOCK if there is no such block.  */
struct hugetext_name
{
  uintptr_t header; /* The block with the ELF header.  */
  uintptr_t text;   /* The block whose text keeps the name, if no other text
                       does.  */
};

/* One part in this many of an object's text, or of its heat if known, is the
   most that its name may cost under HUGETEXT_NAMES_CHEAPLY
   (doc/experiments/names).  */
#define HUGETEXT_NAME_SHARE 8

/* Return the blocks that keep OBJECT's name, by NAMING.  The block for a piece
   of text is the one that the ranking below would leave out first.  There is
   no such block if other text stays mapped from the file: in blocks that may
   not be taken, or beside the ELF header.  */
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

/* The number of small pages of text that fit in the second-level instruction
   TLB of every usual CPU: 512 in AMD's Zen to Zen 4, which have the fewest
   (lab/tlbsim/cpus).  Text that fits causes no page walks.  */
#define HUGETEXT_SMALL_PAGES 512

/* Whether a setting asks for huge pages for this very program: one FROM_INDEX
   in a section that is NAMED for the program, or one FROM_TUNABLE other than
   the switch itself.  FROM_INDEX and FROM_TUNABLE have a bit for each key.
   Settings for all programs, or for all in a directory, apply only to programs
   that can gain.  */
static inline bool
hugetext_is_asked (uint32_t from_index, bool named, uint32_t from_tunable)
{
  return ((from_index != 0 && named)
          || (from_tunable & ~(1u << HUGETEXT_KEY_MODE)) != 0);
}

/* The bytes of text from which on a process is large enough to gain.  */
static inline uintptr_t
hugetext_small_text (const struct hugetext_geometry *geo)
{
  return HUGETEXT_SMALL_PAGES * geo->page;
}

/* Whether a process with TEXT bytes of text in all its objects is too small to
   gain from huge pages.  ASKED is hugetext_is_asked's result.  A large p_align
   does not count as asking: Debian links libraries of a few pages with the
   alignment of a huge page.  */
static inline bool
hugetext_is_small (const struct hugetext_geometry *geo, uintptr_t text,
                   bool asked)
{
  return !asked && text < hugetext_small_text (geo);
}

/* The bytes of text that a program's libraries are assumed to add to its own,
   mainly libc (glibc's has 1.4 MiB).  */
static inline uintptr_t
hugetext_text_to_come (const struct hugetext_geometry *geo)
{
  return hugetext_small_text (geo) / 4 * 3;
}

/* The bytes of text that a block needs in a library that a program opens which
   was too small at its start: half of the block.  Such a program opens name
   service modules, for example, and uses them little.  */
static inline uintptr_t
hugetext_late_text (const struct hugetext_geometry *geo)
{
  return geo->block / 2;
}

/* The value that stands for an unknown heat.  */
#define HUGETEXT_HEAT_UNKNOWN UINT32_MAX

/* Values of blocks by their heat: cold blocks have values below
   HUGETEXT_VALUE_TEPID.  The ranks of heat below HUGETEXT_HEAT_HOT end at half
   of HUGETEXT_RANKS.  A block that takes no memory is worth a quarter of a
   block's text more, as in the choice of the place (has_much_there in
   dl-hugetext-placement.c).  */
enum
{
  HUGETEXT_VALUE_FREE = HUGETEXT_RANKS / 4,
  HUGETEXT_VALUE_TEPID = HUGETEXT_RANKS + HUGETEXT_VALUE_FREE,
  HUGETEXT_VALUE_UNKNOWN = HUGETEXT_VALUE_TEPID + HUGETEXT_RANKS / 2,
  HUGETEXT_VALUE_HOT
  = HUGETEXT_VALUE_UNKNOWN + HUGETEXT_VALUE_FREE + HUGETEXT_RANKS / 2,
  HUGETEXT_VALUES_OF_BLOCKS = HUGETEXT_VALUE_HOT + HUGETEXT_RANKS + 1
};

/* A block that may be taken.  */
struct hugetext_candidate
{
  uintptr_t text; /* Bytes of text.  */
  uint32_t heat;
  bool free; /* The block takes no memory: it is a page of the object's file,
                or of an image.  */
};

/* The number of an object's full blocks that are counted one by one.  Blocks
   beyond this number come in the order of objects: with a cap that large no
   object gets too little.  */
#define HUGETEXT_LEVELS 64

/* The number of an object's full blocks that rank equal to blocks that take no
   memory, so that 400 MB of images do not take the places of copies of a
   program of 4 MiB.  */
#define HUGETEXT_FIRST_BLOCKS 8

/* The ranking of the blocks of many objects against one cap, in two passes and
   constant memory: the caller counts all blocks, cuts, then asks for each
   block in the order of counting.  Among equal blocks, earlier ones are
   better, with one exception: of blocks that are full of text and have unknown
   heat, all objects get equal numbers, as far as they have as many.  Otherwise
   the first of several libraries of 400 MB would take all places, although it
   is not known which of them runs.  */
struct hugetext_ranking
{
  size_t total;       /* The number of blocks counted.  */
  size_t ties;        /* The number of blocks of value CUT that may still be
                         taken.  */
  uintptr_t least;    /* The bytes of text that a block needs to be counted and
                         taken, unless it is hot.  */
  uintptr_t required; /* A second such minimum, see hugetext_ranking_require;
                         the larger of both holds.  */
  size_t share;       /* The most blocks, except hot ones, that are taken if
                         not all blocks can be.  */
  int cut;            /* Blocks with a higher value are taken.  */
  bool small;         /* The program is too small: no block is taken.  */
  bool shared;        /* The limit is SHARE, not the budget.  */
  uint32_t level;     /* Full blocks of each object at the cut.  */
  uint32_t nfull[2];  /* The full blocks of the present object: [0] those that
                         take memory, [1] those that take none or are among its
                         first.  */
  uint16_t reach[2][HUGETEXT_LEVELS]; /* The number of objects with more than N
                                         full blocks, by the kinds of
                                         NFULL.  */
  uint32_t count[HUGETEXT_VALUES_OF_BLOCKS];
};

/* Start a ranking with no blocks.  RANKING is all zeros, or has been started
   before.  */
extern void hugetext_ranking_init (struct hugetext_ranking *ranking);

/* Reserve a part of the cap for libraries that the process may open later.
   The blocks to be counted come by dlopen, and the process uses USED of its
   CAP blocks.  The more places are in use, the fuller a block must be:
   programs open small libraries before large ones (firefox opens 50 before
   libxul).  If there are more blocks than places, an eighth of the places
   stays free: torch opens 400 MB of CUDA before the libraries that it runs.
   Hot blocks may take all places that are left.  A block keeps its place when
   a later one comes, because libraries that are opened late are often used
   little.  */
extern void hugetext_ranking_keep_free (struct hugetext_ranking *ranking,
                                        const struct hugetext_geometry *geo,
                                        size_t used, size_t cap);

/* Count only blocks with at least TEXT bytes of text from now on, and hot
   blocks.  */
extern void hugetext_ranking_require (struct hugetext_ranking *ranking,
                                      uintptr_t text);

/* Begin with the blocks of the next object, in either pass.  */
extern void hugetext_ranking_next_object (struct hugetext_ranking *ranking);

/* Count BLOCK.  */
extern void hugetext_ranking_add (struct hugetext_ranking *ranking,
                                  const struct hugetext_geometry *geo,
                                  const struct hugetext_candidate *block);

/* Cut the ranking at BUDGET blocks: select the best of the counted blocks.  */
extern void hugetext_ranking_cut (struct hugetext_ranking *ranking,
                                  size_t budget);

/* Return HUGETEXT_TAKE if BLOCK is within the budget, otherwise why not.
   Callers ask in the order of counting.  */
extern enum hugetext_reason
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo,
                       const struct hugetext_candidate *block);

#endif /* dl-hugetext-plan.h */
