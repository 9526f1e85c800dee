/* Policy of ld-hugetext: which blocks of an object's text should be huge?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: blocks, and what a block may contain.

   A *block* is one huge page of address space, aligned to its own size.  A
   segment covers some of the small pages of some blocks:

     address   0x200000        0x400000        0x600000        0x800000
     blocks    |       A       |       B       |       C       |
     object       [ R ][         RX          ][  R  ][ RW      ]

   Block B contains only text: it is an *interior* block.  Blocks A and C also
   contain other bytes: they are *edge* blocks.  Block A also contains
   read-only data and the hole (unused addresses) in front of the object.  The
   loader may make A huge if the hole belongs to the object: either the loader
   has reserved the hole (slack), or nothing else is mapped in it.  Block C
   also contains a page of the writable segment (RW), so the loader must not
   make C huge.  At a higher address, the writable segment would begin on a
   block boundary.  Then all text of the object could be huge.  To *take* a
   block is to choose it for a huge page.

   No function of the policy makes a system call, allocates memory or keeps
   state.  The result of a function depends only on its arguments.  So the
   loader, the command and the unit tests can share the policy.  All addresses
   of segments are link-time addresses.  The addresses of blocks are run-time
   addresses, which include the load bias.  */

#ifndef _DL_HUGETEXT_PLAN_H
#define _DL_HUGETEXT_PLAN_H 1

#include "dl-hugetext-object.h"
#include "dl-hugetext-modules.h"

/* The number of ranks.  A block has a rank for its bytes of text, or for its
   heat.  On x86-64, HUGETEXT_RANKS is the number of small pages in a block, so
   each rank for bytes of text corresponds to a whole number of pages.  */
#define HUGETEXT_RANKS 512

/* The usual size of a huge page in bytes: 2 MiB, as on machines with small
   pages of 4 KiB.  The setting glibc.mem.hugetext_pad_threshold is meant for
   blocks of 2 MiB.  */
#define HUGETEXT_BLOCK_USUAL (2UL << 20)

/* Return how many bytes of text an edge block must have, if the setting is
   THRESHOLD.  If blocks are larger than HUGETEXT_BLOCK_USUAL, half of the
   block must be text.  A THRESHOLD of 0 means that no edge block may be huge;
   in this case, return 0.  */
extern uintptr_t hugetext_threshold (const struct hugetext_geometry *geo,
                                     uintptr_t threshold);

/* Set *BLOCK to the first block at or above the run-time address FROM that
   contains text.  Return false if no block at or above FROM contains text.  */
extern bool hugetext_next_block (const struct hugetext_object *object,
                                 const struct hugetext_geometry *geo,
                                 uintptr_t from, uintptr_t *block);

/* What the policy finds out about a block.  */
struct hugetext_block
{
  uintptr_t start;              /* Run-time address.  */
  uintptr_t text;               /* The number of bytes of text in the
                                   block.  */
  enum hugetext_reason verdict; /* HUGETEXT_TAKE, or the reason why the policy
                                   refuses the block.  The policy applies the
                                   cap later, in the ranking (struct
                                   hugetext_ranking).  */
  bool execute_only;            /* The block contains text that must not
                                   become readable.  */
  bool congruent;  /* The block can be a huge page of the object's own file: in
                      all its segments, address minus file offset is the same,
                      a multiple of the block size.  The file may nevertheless
                      be too short; only the kernel knows its size.  */
  uint64_t offset; /* The file offset of the block, valid if CONGRUENT.  */
};

/* Examine the block at run-time address START, and return its verdict and
   other facts about it.  The policy refuses an edge block (a block that
   contains not only text) if it has less than PAD_THRESHOLD bytes of text.  If
   PAD_THRESHOLD is 0, the policy refuses all edge blocks.  */
extern struct hugetext_block
hugetext_block_judge (const struct hugetext_object *object,
                      const struct hugetext_geometry *geo,
                      uintptr_t pad_threshold, uintptr_t start);

/* The address of a block that means "no block".  */
#define HUGETEXT_NO_BLOCK UINTPTR_MAX

/* The blocks of an object that must stay mapped from the object's file, so
   that debuggers and similar tools find the name of the file in
   /proc/PID/maps.  A member is HUGETEXT_NO_BLOCK if no block has to stay small
   for it: tools find the name of the file anyway.  */
struct hugetext_name
{
  uintptr_t header; /* The block with the ELF header.  */
  uintptr_t text;   /* The block that must stay mapped from the file because it
                       has text, and no other text of the object stays mapped
                       from the file.  */
};

/* A limit for HUGETEXT_NAMES_CHEAPLY.  The blocks that stay mapped from the
   object's file, so that the object keeps the name of its file, may contain at
   most 1 / HUGETEXT_NAME_SHARE of the text in the object's blocks.  If the
   object's heat is known, these blocks may instead have at most 1 /
   HUGETEXT_NAME_SHARE of the heat of the object's blocks
   (doc/experiments/names).  */
#define HUGETEXT_NAME_SHARE 8

/* Return the blocks of OBJECT that must stay mapped from the object's file, so
   that the object keeps the name of its file in /proc/PID/maps as the setting
   NAMING demands.  For the member TEXT, choose the block with the lowest value
   in the ranking.  Set TEXT to HUGETEXT_NO_BLOCK if no such block is needed,
   because other text stays mapped from the file.  This other text is in blocks
   that the policy refuses, or in the block with the ELF header.  */
extern struct hugetext_name hugetext_name_blocks (
    const struct hugetext_object *object, const struct hugetext_geometry *geo,
    uintptr_t pad_threshold, const struct hugetext_heat *heat,
    enum hugetext_naming naming);

/* Return true if the block at START is one of the blocks NAME, which must stay
   mapped from the object's file.  */
static inline bool
hugetext_is_name (const struct hugetext_name *name, uintptr_t start)
{
  return start == name->header || start == name->text;
}

/* Unwinders such as libunwind compute the load bias of an object from the line
   of /proc/PID/maps that contains an address of its text: from the beginning
   and the file offset of this line, and from a program header.  So all text of
   a segment must be in one mapping, and the mapping must begin where the stock
   loader lets it begin.  If a block with read-only data in front of the text
   becomes a huge page of the file, the mapping of the text begins with these
   data.  libunwind up to 1.6 finds the object even then, because it accepts a
   mapping that begins at the file offset of any segment.  Later releases of
   libunwind do not find the object, because they only accept a mapping that
   begins with the first segment of text (doc/experiments/observers).

   hugetext_shows_text says for which releases of libunwind the loader keeps
   the beginning of OBJECT's text on small pages: for none
   (HUGETEXT_NAMES_NO), for all (HUGETEXT_NAMES_ALL), or for those up to 1.6
   (HUGETEXT_NAMES_CHEAPLY).  NAMING is the result of
   hugetext_names_in_file.  */
extern enum hugetext_naming
hugetext_shows_text (const struct hugetext_object *object,
                     const struct hugetext_geometry *geo,
                     uintptr_t pad_threshold, const struct hugetext_heat *heat,
                     enum hugetext_naming naming);

/* Under HUGETEXT_NAMES_CHEAPLY, the loader keeps blocks small to make an
   object's text visible to unwinders only if these blocks contain at most 1 /
   HUGETEXT_SHOWN_SHARE of the text (or heat) in the object's blocks.  The
   limit is higher than that of HUGETEXT_NAME_SHARE.  Objects with so many
   read-only data in front of the text are large, so one block is a small part
   of their text, and a huge page of the file must cost no names.  */
#define HUGETEXT_SHOWN_SHARE 4

/* Return true if a huge page of OBJECT's file at BLOCK would hide the text
   from unwinders that would otherwise find it (SHOWS is the result of
   hugetext_shows_text).  */
extern bool hugetext_hides_text (const struct hugetext_object *object,
                                 const struct hugetext_block *block,
                                 enum hugetext_naming shows);

/* The number of small pages for which the second-level instruction TLB of
   every usual CPU has entries.  AMD's CPUs from Zen to Zen 4 have the fewest
   entries, 512 (lab/tlbsim/cpus).  A program with at most HUGETEXT_SMALL_PAGES
   pages of text almost never makes the CPU walk the page table.  */
#define HUGETEXT_SMALL_PAGES 512

/* Return true if a setting asks for huge pages for exactly this program.
   FROM_INDEX and FROM_TUNABLE have a bit for each setting that the index or a
   tunable sets.  NAMED says that a section of the index names the program.
   The bit of HUGETEXT_KEY_MODE in FROM_TUNABLE is ignored.  If settings are
   for all programs or for a directory, they apply only to programs that can
   gain from huge pages.  */
static inline bool
hugetext_is_asked (uint32_t from_index, bool named, uint32_t from_tunable)
{
  return ((from_index != 0 && named)
          || (from_tunable & ~(1u << HUGETEXT_KEY_MODE)) != 0);
}

/* Return the minimum bytes of text of a process that is large enough to gain
   from huge pages.  */
static inline uintptr_t
hugetext_small_text (const struct hugetext_geometry *geo)
{
  return HUGETEXT_SMALL_PAGES * geo->page;
}

/* Return true if a process is too small to gain from huge pages.  TEXT is the
   number of bytes of text in all objects of the process; ASKED is the result
   of hugetext_is_asked.  A large p_align does not mean that huge pages are
   wanted, because Debian aligns even libraries of a few pages to the size of a
   huge page.  */
static inline bool
hugetext_is_small (const struct hugetext_geometry *geo, uintptr_t text,
                   bool asked)
{
  return !asked && text < hugetext_small_text (geo);
}

/* Return the number of bytes of text that the libraries of a program are
   assumed to have.  Most of the libraries' text is in libc (1.4 MiB in
   glibc).  */
static inline uintptr_t
hugetext_text_to_come (const struct hugetext_geometry *geo)
{
  return hugetext_small_text (geo) / 4 * 3;
}

/* Return how many bytes of text a block must have to become huge if it is in a
   library that a small program opens: half of the block must be text.  (A
   program is small if it had too little text for huge pages at its start.)
   Many libraries that small programs open, such as name service modules, are
   seldom executed, so only much text is worth a huge page.  */
static inline uintptr_t
hugetext_late_text (const struct hugetext_geometry *geo)
{
  return geo->block / 2;
}

/* The value that stands for an unknown heat.  */
#define HUGETEXT_HEAT_UNKNOWN UINT32_MAX

/* The minimum heat with which a block is worth a copy: one sample in 1024.  A
   copy uses memory, and to make the copy takes a few milliseconds of CPU time.
   Assume that a huge page saves 1 % of the time that the process spends in the
   block.  Then a block with the heat HUGETEXT_HEAT_LEAST saves, within ten
   minutes on a busy processor, as much CPU time as the copy has taken.  */
#define HUGETEXT_HEAT_LEAST 64

/* Return true if a block with HEAT is executed too rarely to be worth a copy.
   A block of unknown heat is worth a copy.  */
static inline bool
hugetext_is_cold (uint32_t heat)
{
  return heat < HUGETEXT_HEAT_LEAST;
}

/* A limit on copies for libraries that a program opens by dlopen.  A block is
   worth a copy if it has at least 1 / HUGETEXT_COPY_SHARE as much text as the
   huge pages of files and images that the process already has
   (doc/experiments/venv).  */
#define HUGETEXT_COPY_SHARE 16

/* Return the minimum bytes of text with which a block of unknown heat is worth
   a copy, if a program opens the block's object by dlopen.  NFREE is the
   number of the process's blocks on huge pages of files and images, which use
   no memory of the process.  The more text is already on huge pages, the less
   time a further copy can save, but every copy uses the same amount of memory.
   A block that contains only text is always worth a copy.  */
static inline uintptr_t
hugetext_copy_text (const struct hugetext_geometry *geo, size_t nfree)
{
  return (hugetext_min (nfree, HUGETEXT_COPY_SHARE)
          * (geo->block / HUGETEXT_COPY_SHARE));
}

/* Return true if a block has too little text to be worth a copy.  LEAST is
   the result of hugetext_copy_text.  If the block's heat (from an execution
   profile) is known, the heat decides (hugetext_is_cold).  */
static inline bool
hugetext_is_little (uintptr_t text, uint32_t heat, uintptr_t least)
{
  return heat == HUGETEXT_HEAT_UNKNOWN && text < least;
}

/* Return true if the ranking may use the heat of an object's blocks.  PROGRAM
   is true if the object is the program.  PROFILED is true if the heat of the
   program is known.  If the heat of the program is not known, the heat of a
   library comes from a profile of other programs, and does not show whether
   the library is hotter than the program.  So if the program has blocks of its
   own that could be huge (HAS_BLOCKS), the ranking compares the blocks of the
   library and of the program by their bytes of text.  */
static inline bool
hugetext_heat_counts (bool program, bool has_blocks, bool profiled)
{
  return program || profiled || !has_blocks;
}

/* The value of a block in the ranking is one of these constants plus the rank
   of the block (for cold blocks, only the rank).  Blocks with a low value are
   cold (heat 0), then come tepid blocks, blocks of unknown heat, and hot
   blocks.  The heat of a tepid block is less than HUGETEXT_HEAT_HOT, so its
   rank is at most HUGETEXT_RANKS / 2.  The value of a cold block, or of a
   block of unknown heat, is higher by HUGETEXT_VALUE_FREE if the block uses no
   memory of its process.  HUGETEXT_VALUE_FREE is a quarter of the highest
   rank.  In the same proportion, the function has_much_there in
   dl-hugetext-placement.c multiplies the text on huge pages of the file by
   1.25.  */
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
  uintptr_t text; /* The number of bytes of text in the block.  */
  uint32_t heat;
  bool free; /* True if the block uses no memory of its process, because its
                huge page belongs to the object's file or to an image.  */
};

/* The ranking counts how many objects have at least one full block (a block
   that contains only text), how many have at least two full blocks, and so on,
   up to HUGETEXT_LEVELS full blocks.  If objects have more than
   HUGETEXT_LEVELS full blocks, the ranking chooses among the additional blocks
   in the order of the objects.  The order matters little, because the cap is
   then so large that no object gets too few blocks.  */
#define HUGETEXT_LEVELS 64

/* The ranking treats the first HUGETEXT_FIRST_BLOCKS full blocks of each
   object as if they used no memory of the process.  If copies were always
   worth less than blocks of images, 400 MB of images could use the whole cap,
   and a program of 4 MiB that needs copies would get no huge page.  */
#define HUGETEXT_FIRST_BLOCKS 8

/* The ranking: it chooses the best blocks of many objects under one common
   cap, in two passes and constant memory.  The caller first passes each block
   to hugetext_ranking_add, which counts the blocks of each value.  The caller
   then calls hugetext_ranking_cut, which computes the lowest value with which
   blocks are chosen.  Finally the caller passes the same blocks in the same
   order to hugetext_ranking_take, which says whether each block is chosen.
   Among blocks of equal value, the earlier block wins.  Full blocks of unknown
   heat, however, are shared out evenly: the ranking chooses the same number of
   these blocks from each object that has enough of them.  If the earlier of
   two blocks always won, the first of several libraries of 400 MB would take
   the whole cap, although the loader does not know which library's text will
   be executed.  */
struct hugetext_ranking
{
  uint32_t total;     /* The number of blocks that the ranking has counted.  */
  uint32_t returned;  /* The number of chosen blocks that stayed small and for
                         which no other block has become huge yet
                         (hugetext_ranking_return).  */
  uint32_t left;      /* The number of blocks that the ranking may still
                         choose.  The member LEFT matters only if the heat of a
                         counted block has changed, because another index was
                         installed after the count.  */
  uint32_t ties;      /* The number of blocks that the ranking may still choose
                         among those whose value equals CUT.  */
  uintptr_t least;    /* The minimum bytes of text of a block.  The ranking
                         neither counts nor chooses a block with less text than
                         LEAST, unless the block is hot.  */
  uintptr_t required; /* The minimum bytes of text of a block that
                         hugetext_ranking_require has set.  A block needs as
                         much text as the larger of LEAST and REQUIRED.  */
  size_t share; /* If the ranking cannot choose all blocks that it counts, it
                   chooses at most SHARE blocks that are not hot.  */
  int cut;      /* The ranking chooses all blocks with a value above CUT.  */
  bool small;   /* The program is too small, so no block is chosen.  */
  bool scarce;  /* The objects have more blocks than the cap allows to be huge.
                   If SCARCE is true, the caller adds only blocks to the
                   ranking that can get a huge page.  */
  bool shared;  /* The ranking chose fewer blocks because of SHARE, not because
                   of BUDGET (hugetext_ranking_cut).  */
  bool late;    /* The ranked blocks are those of libraries that a process
                   opens by dlopen.  For libraries opened by dlopen, the
                   ranking does not count cold blocks, because they would use
                   huge pages that hot blocks of a later library need.  */
  uint32_t level;    /* If CUT is the value of a full block, the number of full
                        blocks that the ranking chooses from each object that
                        has enough of them.  */
  uint32_t nfull[2]; /* The number of full blocks (blocks that contain only
                        text) of the current object that the ranking has
                        counted so far.  NFULL[0] counts copies.  NFULL[1]
                        counts blocks that use no memory of the process.
                        NFULL[1] also counts copies until it reaches
                        HUGETEXT_FIRST_BLOCKS.  */
  uint16_t reach[2][HUGETEXT_LEVELS]; /* For each kind I of full blocks (see
                                         NFULL) and each number N: the number
                                         of objects that have more than N full
                                         blocks of this kind.  */
  uint32_t count[HUGETEXT_VALUES_OF_BLOCKS];
};

/* Initialize RANKING to an empty ranking.  Before the first call, RANKING must
   be all zeros.  */
extern void hugetext_ranking_init (struct hugetext_ranking *ranking);

/* Reserve a part of the cap for libraries that the process may open later.
   Call this function before counting blocks of libraries that a process opens
   by dlopen.  The process already has USED of its CAP blocks.  The more of the
   cap is in use, the more text a block must have.  So the many small libraries
   that a program opens first leave a part of the cap for large libraries that
   the program opens later (firefox opens 50 libraries before libxul).  If the
   libraries have more blocks than the cap allows, an eighth of the unused cap
   stays free for later libraries.  (The Python module torch, for example,
   opens 400 MB of CUDA libraries, which it seldom executes, before the
   libraries that it executes most.)  Blocks that the execution profile shows
   to be hot may use the whole cap.  A huge block stays huge even if a later
   library has better blocks, because programs often execute little of later
   libraries.  */
extern void hugetext_ranking_keep_free (struct hugetext_ranking *ranking,
                                        const struct hugetext_geometry *geo,
                                        size_t used, size_t cap);

/* From now on, count only hot blocks, and blocks with at least TEXT bytes of
   text.  */
extern void hugetext_ranking_require (struct hugetext_ranking *ranking,
                                      uintptr_t text);

/* Begin the next object: further calls of hugetext_ranking_add or
   hugetext_ranking_take are for blocks of this object.  */
extern void hugetext_ranking_next_object (struct hugetext_ranking *ranking);

/* Count BLOCK.  */
extern void hugetext_ranking_add (struct hugetext_ranking *ranking,
                                  const struct hugetext_geometry *geo,
                                  const struct hugetext_candidate *block);

/* Cut off the ranking: choose the best of the counted blocks, at most BUDGET
   of them.  */
extern void hugetext_ranking_cut (struct hugetext_ranking *ranking,
                                  size_t budget);

/* Return HUGETEXT_TAKE if BLOCK is among the chosen blocks, otherwise the
   reason why it stays on small pages.  Call this function once per block, in
   the order in which the caller counted the blocks.  */
extern enum hugetext_reason
hugetext_ranking_take (struct hugetext_ranking *ranking,
                       const struct hugetext_geometry *geo,
                       const struct hugetext_candidate *block);

/* N blocks that RANKING has chosen stay small, because the page cache does not
   hold them in huge pages.  Therefore choose N more blocks that RANKING would
   otherwise refuse because of the cap.  */
extern void hugetext_ranking_return (struct hugetext_ranking *ranking,
                                     size_t n);

/* RANKING has refused a block because of the cap.  Return true if the block
   may become huge instead of a chosen block that has stayed small
   (hugetext_ranking_return).  */
extern bool hugetext_ranking_reuse (struct hugetext_ranking *ranking);

#endif /* dl-hugetext-plan.h */
