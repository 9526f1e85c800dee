/* The table of the blocks with code made at run time: the state of each block,
   and the time at which the code object examines it next.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file is the policy of the code object.  The policy makes no system
   call, takes no lock and uses no memory except the table.  Threads and signal
   handlers may use a table at the same time.  If two threads change the same
   addresses at once, the table may lose a block, or mistake other memory for
   code.  So the code object asks the kernel before it changes a block.  The
   state of a block alone says whether the cap counts the block, so that the
   count of such blocks is always right.  */

#ifndef CODE_BLOCKS_H
#define CODE_BLOCKS_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The maximum number of blocks in a table.  HotSpot's code cache has at most
   120 blocks by default, and few programs would gain much from more
   blocks.  */
#define CODE_BLOCKS 128

/* The number of parts of a block; each part has a bit in the table.  With
   pages of 4 KiB a part is a page.  */
#define CODE_PARTS 512

enum code_state
{
  CODE_SMALL,
  CODE_BEING_MADE,
  CODE_HUGE,
  CODE_BEING_REUSED /* A thread is about to reuse the slot for another
                       block.  */
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
  uint64_t due;    /* The time of the next examination, or a special value
                      (blocks.c).  */
  uint64_t looked; /* The time of the last examination.  */
  uint64_t parts[CODE_PARTS / 64]; /* A bit for each part: set if the part is
                                      executable.  */
};

struct code_table
{
  uintptr_t block;              /* The size of a block in bytes, a power of
                                   two.  */
  uint64_t next;                /* The earliest time at which a block may be
                                   due.  */
  uint64_t now;                 /* The time of the last check for due
                                   blocks.  */
  uint32_t used;                /* The number of slots in use, counted from the
                                   first.  */
  uintptr_t start[CODE_BLOCKS]; /* The address of each block, 0 if the slot is
                                   free.  */
  struct code_block at[CODE_BLOCKS];
};

/* The longest wait, in milliseconds, for a block that is filling with code.
   The first wait is 1 ms, and each later wait is twice as long.  Examining a
   block takes about ten microseconds.  */
#define CODE_WAIT_FILLING 64

/* The longest wait, in milliseconds, for a block that stays empty or that
   cannot be huge.  */
#define CODE_WAIT_LONG 1024

/* An event that happens to a range of addresses.  */
enum code_event
{
  CODE_UNMAPPED,       /* The range is unmapped.  */
  CODE_NOT_EXECUTABLE, /* The range is not executable any more.  The range may
                          become executable again.  */
  CODE_EMPTIED         /* The pages of the range are unmapped or small.  */
};

/* Whether a new writable and executable mapping of LENGTH bytes is so large
   that it is a heap rather than code.  sbcl's heap has 1 GiB.  */
extern bool code_is_heap (const struct code_table *table, size_t length);

/* Note that [START, END) has become executable.  GROWN says that the memory is
   new, so that older code memory is probably full.  */
extern void code_note (struct code_table *table, uintptr_t start,
                       uintptr_t end, bool grown);

/* Whether block I should be made huge at time NOW, with USE of its N pages in
   use.  The function returns true if few pages would be wasted.  A block that
   became executable in bulk waits as long as all its pages are in use.  The
   reason is that programs also fill much memory before it has code (Ruby's
   YJIT: 256 MiB).  If the function returns false, the block waits.  */
extern bool code_is_worth (struct code_table *table, size_t i, size_t use,
                           size_t n, uint64_t now);

/* Note that EVENT has happened, or is about to happen, to [START, END).
   Return how many blocks the cap no longer counts: blocks that are no longer
   huge, and blocks that were being made.  */
extern size_t code_forget (struct code_table *table, uintptr_t start,
                           uintptr_t end, enum code_event event);

/* Whether all of [START, END) is executable, according to the table.  */
extern bool code_covers (const struct code_table *table, uintptr_t start,
                         uintptr_t end);

/* Whether any block waits, and whether a block may be due at time NOW.  Times
   are in milliseconds from an arbitrary start.  */
extern bool code_any_waits (const struct code_table *table);
extern bool code_any_due (struct code_table *table, uint64_t now);

/* Return the index of the first block, from index FROM on, that is due at NOW,
   small, and executable as a whole.  If there is no such block, return
   CODE_BLOCKS, and note in the table when the next block is due.  */
extern size_t code_next_due (struct code_table *table, size_t from,
                             uint64_t now);

/* Note that the caller leaves due blocks for its next call.  */
extern void code_left_over (struct code_table *table);

/* Make block I, which cannot be huge at time NOW, wait for WAIT milliseconds.
   If WAIT is 0, the block waits twice as long as the last time.  */
extern void code_wait (struct code_table *table, size_t i, uint64_t now,
                       uint64_t wait);

/* Note that the kernel refuses to make block I huge, for example because it
   has not merged several mappings with equal flags in the block.  After each
   refusal the block waits four times as long as before.  */
extern void code_refuse (struct code_table *table, size_t i);

/* Return the number of blocks that the cap counts: blocks that are huge or are
   being made.  */
extern size_t code_count (const struct code_table *table);

/* Begin to make block I huge.  Return false if another thread is making it
   huge.  */
extern bool code_begin (struct code_table *table, size_t i);

/* Whether block I, which is being made, is still the block at START and all
   executable.  */
extern bool code_is_still (const struct code_table *table, size_t i,
                           uintptr_t start);

/* Record that block I has become huge (code_made), or that it cannot be huge
   (code_not_made).  Return false if another thread has changed the block's
   state meanwhile.  */
extern bool code_made (struct code_table *table, size_t i);
extern bool code_not_made (struct code_table *table, size_t i);

/* Cancel work that its thread will not finish.  The work may be a block that
   another thread was making when the process forked.  The work may also be a
   slot that a thread was reusing when a signal handler left the interrupted
   call.  If the thread does continue, the table may lose its block.  Return
   how many blocks the cap no longer counts.  */
extern size_t code_abandon (struct code_table *table);

/* Whether a mapping at ADDRESS is aligned to blocks of BLOCK bytes.  OFFSET is
   the file offset of the mapping, or 0 without a file.  */
static inline bool
code_is_placed (uintptr_t address, uint64_t offset, uintptr_t block)
{
  return ((address - offset) & (block - 1)) == 0;
}

/* Return the first address from SPACE on at which a mapping of the file offset
   OFFSET would be aligned.  */
static inline uintptr_t
code_place (uintptr_t space, uint64_t offset, uintptr_t block)
{
  return space + ((offset - space) & (block - 1));
}

#endif /* blocks.h */
