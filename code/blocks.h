/* A list of the blocks that hold code made at run time, and of when each is
   tried.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This is the code object's policy: it makes no system call, takes no lock and
   uses no memory but the table's.  Threads and signal handlers may use a table
   at the same time.  Where two of them change the same addresses at once, the
   table may lose a block, or take other memory for code: so the code object
   asks the kernel before it changes a block.  Whether a block has a place
   under the cap is a matter of its state alone, so that the number of blocks
   that have one is always right.  */

#ifndef CODE_BLOCKS_H
#define CODE_BLOCKS_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most blocks in a table.  HotSpot's code cache has 120 at most by
   default, and few programs have so many blocks that a later one would gain
   more.  */
#define CODE_BLOCKS 128

/* The number of parts of a block that the table distinguishes: pages, where a
   page is 4 KiB.  */
#define CODE_PARTS 512

enum code_state
{
  CODE_SMALL,
  CODE_BEING_MADE,
  CODE_HUGE,
  CODE_BEING_REUSED /* Its place is being reused for another block.  */
};

struct code_block
{
  uint32_t state;  /* enum code_state.  */
  uint32_t tries;  /* Number of looks at the block since it was mapped.  */
  uint32_t bulk;   /* The block became executable with many others in one call,
                      and has not been looked at yet.  */
  uint32_t lost;   /* How often a part of the huge block changed, or the kernel
                      refused the block.  */
  uint64_t due;    /* The time before which the block is not looked at.  */
  uint64_t looked; /* The time of the last look.  */
  uint64_t parts[CODE_PARTS / 64]; /* Executable parts: a bit each.  */
};

struct code_table
{
  uintptr_t block;              /* Bytes, a power of two.  */
  uint64_t next;                /* The time when the next block may be due.  */
  uint64_t now;                 /* The time when NEXT was computed.  */
  uint32_t used;                /* The number of places in use, from the first
                                   on.  */
  uintptr_t start[CODE_BLOCKS]; /* Addresses.  */
  struct code_block at[CODE_BLOCKS];
};

/* The longest wait for a block that fills, in milliseconds: the first wait is
   a millisecond, each later one twice as long.  A look takes some ten
   microseconds.  */
#define CODE_WAIT_FILLING 64

/* The longest wait, in milliseconds, for a block that stays empty or cannot be
   made.  */
#define CODE_WAIT_LONG 1024

/* An event that happens to a range of addresses.  */
enum code_event
{
  CODE_UNMAPPED,       /* The range is unmapped.  */
  CODE_NOT_EXECUTABLE, /* The range is not executable, and may become so
                          again.  */
  CODE_EMPTIED         /* The pages of the range are gone, or small.  */
};

/* Whether a new writable and executable mapping of LENGTH bytes is a heap
   rather than code (sbcl's heap has 1 GiB).  */
extern bool code_is_heap (const struct code_table *table, size_t length);

/* Note that [START, END) has become executable.  GROWN says that the memory is
   new, so that older parts of the same memory are probably full.  */
extern void code_note (struct code_table *table, uintptr_t start,
                       uintptr_t end, bool grown);

/* Whether block I, with USE of its N pages in use, is to be made NOW: if few
   pages would be wasted, and not all blocks at the first look, because
   programs also fill much memory before it has code (Ruby's YJIT, 256 MiB).
   Otherwise the block waits.  */
extern bool code_is_worth (struct code_table *table, size_t i, size_t use,
                           size_t n, uint64_t now);

/* Note that EVENT has happened, or is about to happen, to [START, END).
   Return the number of places that are free again: of blocks that are no
   longer huge, and of blocks that were being made.  */
extern size_t code_forget (struct code_table *table, uintptr_t start,
                           uintptr_t end, enum code_event event);

/* Whether all of [START, END) is executable, by the table.  */
extern bool code_covers (const struct code_table *table, uintptr_t start,
                         uintptr_t end);

/* Whether any block waits, and whether a block may be due at NOW.  Times are
   milliseconds from an arbitrary start.  */
extern bool code_any_waits (const struct code_table *table);
extern bool code_any_due (struct code_table *table, uint64_t now);

/* Return the number of a block that is due at NOW, executable as a whole, and
   small, from number FROM on.  CODE_BLOCKS if there is none; then the time of
   the next one has been noted.  */
extern size_t code_next_due (struct code_table *table, size_t from,
                             uint64_t now);

/* Note that blocks which are due are left over.  */
extern void code_left_over (struct code_table *table);

/* Have block I, which cannot be made NOW, wait for WAIT milliseconds, or, if
   WAIT is 0, twice as long as the last time.  */
extern void code_wait (struct code_table *table, size_t i, uint64_t now,
                       uint64_t wait);

/* Note that the kernel refuses to make block I, for example because the block
   is several mappings that look alike but are not joined.  The block waits
   four times as long each time.  */
extern void code_refuse (struct code_table *table, size_t i);

/* The number of blocks that have a place under the cap: they are huge, or are
   being made.  */
extern size_t code_count (const struct code_table *table);

/* Begin to make block I.  False if another thread makes it.  */
extern bool code_begin (struct code_table *table, size_t i);

/* Whether block I, which is being made, is still the block at START, and all
   code.  */
extern bool code_is_still (const struct code_table *table, size_t i,
                           uintptr_t start);

/* Note that block I is huge now, or cannot be made.  False if something has
   happened to the block meanwhile.  */
extern bool code_made (struct code_table *table, size_t i);
extern bool code_not_made (struct code_table *table, size_t i);

/* Give up what nobody goes on with: the blocks that another thread made while
   the process forked, and places that a thread was reusing when a signal
   handler left its call.  If that thread does go on, its block may get lost.
   Return the number of places under the cap that are free.  */
extern size_t code_abandon (struct code_table *table);

/* Whether a mapping at ADDRESS, of a file at OFFSET or of no file with OFFSET
   0, is aligned to blocks of BLOCK bytes.  */
static inline bool
code_is_placed (uintptr_t address, uint64_t offset, uintptr_t block)
{
  return ((address - offset) & (block - 1)) == 0;
}

/* Return the first address from SPACE on where the mapping would be.  */
static inline uintptr_t
code_place (uintptr_t space, uint64_t offset, uintptr_t block)
{
  return space + ((offset - space) & (block - 1));
}

#endif /* blocks.h */
