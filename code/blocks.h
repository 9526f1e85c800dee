/* The table of the blocks that hold code made at run time, with the time at
   which each is tried.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file is the policy of the code object.  It makes no system call, takes
   no lock and uses no memory except the table.  Threads and signal handlers
   may use a table at the same time.  If two of them change the same addresses
   at once, the table may lose a block, or take other memory for code; so the
   code object asks the kernel before it changes a block.  The state of a block
   alone says whether it has a place under the cap, so that the count of such
   blocks is always right.  */

#ifndef CODE_BLOCKS_H
#define CODE_BLOCKS_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most blocks in a table.  HotSpot's code cache has at most 120 by
   default, and in few programs would blocks beyond this number gain much.  */
#define CODE_BLOCKS 128

/* The number of parts of a block, each with a bit in the table.  With pages of
   4 KiB a part is a page.  */
#define CODE_PARTS 512

enum code_state
{
  CODE_SMALL,
  CODE_BEING_MADE,
  CODE_HUGE,
  CODE_BEING_REUSED /* Another block is about to use this place in the
                       table.  */
};

struct code_block
{
  uint32_t state;  /* An enum code_state.  */
  uint32_t tries;  /* The number of times that the block was examined since it
                      was mapped.  */
  uint32_t bulk;   /* 1 if the block became executable with many others in one
                      call, until an examination finds an unused page.  */
  uint32_t lost;   /* How often a part of the huge block changed, or the kernel
                      refused the block.  */
  uint64_t due;    /* The time at which the block is next examined, or a
                      special value (blocks.c).  */
  uint64_t looked; /* The time of the last examination.  */
  uint64_t parts[CODE_PARTS / 64]; /* A bit for each part: set if the part is
                                      executable.  */
};

struct code_table
{
  uintptr_t block;              /* The bytes in a block, a power of two.  */
  uint64_t next;                /* The earliest time at which a block may be
                                   due.  */
  uint64_t now;                 /* The time of the last check for due
                                   blocks.  */
  uint32_t used;                /* The number of places in use, counted from
                                   the first.  */
  uintptr_t start[CODE_BLOCKS]; /* The address of each block, 0 if the place is
                                   free.  */
  struct code_block at[CODE_BLOCKS];
};

/* The longest wait, in milliseconds, for a block that is filling.  The first
   wait is 1 ms, each later one twice as long.  Examining a block takes about
   ten microseconds.  */
#define CODE_WAIT_FILLING 64

/* The longest wait, in milliseconds, for a block that stays empty or cannot be
   made.  */
#define CODE_WAIT_LONG 1024

/* An event that happens to a range of addresses.  */
enum code_event
{
  CODE_UNMAPPED,       /* The range is unmapped.  */
  CODE_NOT_EXECUTABLE, /* The range is not executable any more; it may become
                          executable again.  */
  CODE_EMPTIED         /* The pages of the range are unmapped or small.  */
};

/* Whether a new writable and executable mapping of LENGTH bytes is a heap
   rather than code, by its size.  sbcl's heap has 1 GiB.  */
extern bool code_is_heap (const struct code_table *table, size_t length);

/* Note that [START, END) has become executable.  GROWN says that the memory is
   new, so that earlier parts of the same memory are probably full.  */
extern void code_note (struct code_table *table, uintptr_t start,
                       uintptr_t end, bool grown);

/* Whether block I, with USE of its N pages in use, should be made NOW.  It
   should if few pages would be wasted.  A block that became executable in bulk
   waits as long as all its pages are in use, because programs also fill much
   memory before it has code (Ruby's YJIT: 256 MiB).  If false, the block
   waits.  */
extern bool code_is_worth (struct code_table *table, size_t i, size_t use,
                           size_t n, uint64_t now);

/* Note that EVENT has happened, or is about to happen, to [START, END).
   Return the number of places that this frees under the cap: those of blocks
   that are no longer huge, and of blocks that were being made.  */
extern size_t code_forget (struct code_table *table, uintptr_t start,
                           uintptr_t end, enum code_event event);

/* Whether all of [START, END) is executable, according to the table.  */
extern bool code_covers (const struct code_table *table, uintptr_t start,
                         uintptr_t end);

/* Whether any block waits, and whether a block may be due at time NOW.  Times
   are in milliseconds from an arbitrary start.  */
extern bool code_any_waits (const struct code_table *table);
extern bool code_any_due (struct code_table *table, uint64_t now);

/* Return the index of the first block from index FROM on that is due at NOW,
   small, and executable as a whole.  CODE_BLOCKS if there is none; then the
   table has the time at which the next block is due.  */
extern size_t code_next_due (struct code_table *table, size_t from,
                             uint64_t now);

/* Note that the caller leaves due blocks for the next call.  */
extern void code_left_over (struct code_table *table);

/* Make block I, which cannot be made NOW, wait for WAIT milliseconds; if WAIT
   is 0, twice as long as the last time.  */
extern void code_wait (struct code_table *table, size_t i, uint64_t now,
                       uint64_t wait);

/* Note that the kernel refuses to make block I, for example because the block
   consists of several mappings with equal flags that the kernel has not
   merged.  Each time, the block waits four times as long as before.  */
extern void code_refuse (struct code_table *table, size_t i);

/* Return the number of blocks with a place under the cap: those that are huge
   or are being made.  */
extern size_t code_count (const struct code_table *table);

/* Begin to make block I.  False if another thread is making it.  */
extern bool code_begin (struct code_table *table, size_t i);

/* Whether block I, which is being made, is still the block at START and all
   code.  */
extern bool code_is_still (const struct code_table *table, size_t i,
                           uintptr_t start);

/* Note that block I is huge now, or cannot be made.  False if another thread
   has changed the block's state meanwhile.  */
extern bool code_made (struct code_table *table, size_t i);
extern bool code_not_made (struct code_table *table, size_t i);

/* Cancel work whose thread will not finish it: blocks that another thread was
   making when the process forked, and places that a thread was reusing when a
   signal handler left the interrupted call.  If such a thread does continue,
   the table may lose its block.  Return the number of places that this frees
   under the cap.  */
extern size_t code_abandon (struct code_table *table);

/* Whether a mapping at ADDRESS is aligned to blocks of BLOCK bytes.  OFFSET is
   its file offset, 0 if it maps no file.  */
static inline bool
code_is_placed (uintptr_t address, uint64_t offset, uintptr_t block)
{
  return ((address - offset) & (block - 1)) == 0;
}

/* Return the first address from SPACE on at which the mapping would be
   aligned.  */
static inline uintptr_t
code_place (uintptr_t space, uint64_t offset, uintptr_t block)
{
  return space + ((offset - space) & (block - 1));
}

#endif /* blocks.h */
