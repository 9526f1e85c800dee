/* The table of the blocks with code made at run time: the state of each
   block, and the time at which hugetext-code.so examines the block next.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file declares the policy of hugetext-code.so.  The policy makes no
   system call, takes no lock, and uses no memory except the table.  Threads
   and signal handlers may use a table at the same time.  If two threads change
   the same addresses at the same time, the table may lose a block, or mistake
   other memory for code.  Because the table may be wrong, hugetext-code.so
   asks the kernel whether a block really contains code before it makes the
   block huge.  The state of a block alone says whether the block counts
   towards the cap, so the count is always right.  */

#ifndef CODE_BLOCKS_H
#define CODE_BLOCKS_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The maximum number of blocks in a table.  By default, HotSpot's code cache
   has at most 120 blocks.  Few programs would gain much from a larger
   table.  */
#define CODE_BLOCKS 128

/* The number of parts of a block; the table has a bit for each part.  On
   machines with pages of 4 KiB, each of the 512 parts of a block is one
   page.  */
#define CODE_PARTS 512

enum code_state
{
  CODE_SMALL,
  CODE_BEING_MADE,
  CODE_HUGE,
  CODE_BEING_REUSED /* A thread is about to reuse this slot of the table for
                       another block.  */
};

struct code_block
{
  uint32_t state;  /* An enum code_state.  */
  uint32_t tries;  /* How often hugetext-code.so has examined the block and
                      left it small since this count was last reset (reset,
                      all_due, code_refuse).  */
  uint32_t bulk;   /* 1 if one system call has made the block and many other
                      blocks executable (CODE_BULK).  hugetext-code.so sets
                      BULK to 0 when it finds an unused page in the block.  */
  uint32_t lost;   /* The number of times that the block has lost its huge page
                      because a part of the block changed, plus the number of
                      times that the kernel has refused to make the block
                      huge.  */
  uint64_t due;    /* The time at which the block will be examined next, or a
                      special value (blocks.c).  */
  uint64_t looked; /* The time at which the block was examined last.  */
  uint64_t parts[CODE_PARTS / 64]; /* A bit for each part: set if the part is
                                      executable.  */
};

struct code_table
{
  uintptr_t block; /* The size of a block in bytes, a power of
                      two.  */
  uint64_t next;   /* The earliest time at which hugetext-code.so may have to
                      examine a block in the table.  */
  uint64_t now;    /* The time of the last call of code_any_due.  */
  uint32_t used; /* The number of slots up to the last slot that is in use.  */
  uintptr_t start[CODE_BLOCKS]; /* For each slot, the address of its block, or
                                   0 if the slot is free.  */
  struct code_block at[CODE_BLOCKS];
};

/* The longest wait in milliseconds for a block that is filling with code.  The
   first wait of a block is 1 ms, and each further wait is twice as long.
   (Examining a block takes about ten microseconds.)  */
#define CODE_WAIT_FILLING 64

/* The longest wait in milliseconds for a block that stays empty or cannot
   become huge.  */
#define CODE_WAIT_LONG 1024

/* An event that happens to a range of addresses.  */
enum code_event
{
  CODE_UNMAPPED,       /* The range of addresses is unmapped.  */
  CODE_NOT_EXECUTABLE, /* The range of addresses is no longer executable, but
                          may become executable again.  */
  CODE_EMPTIED         /* The kernel may have removed pages of the range, or
                          split its huge pages.  */
};

/* Return true if a writable and executable mapping of LENGTH bytes has more
   blocks than the table can hold.  hugetext-code.so takes such a large mapping
   for a heap (sbcl's heap is 1 GiB), and leaves it on small pages.  */
extern bool code_is_heap (const struct code_table *table, size_t length);

/* Record in the table that [START, END) has become executable.  If GROWN, the
   memory at [START, END) is new, so older memory for code is probably
   full.  */
extern void code_note (struct code_table *table, uintptr_t start,
                       uintptr_t end, bool grown);

/* Return true if block I of the table should become huge at time NOW.  The
   block has N small pages, and USE of them are in use.  The block should
   become huge if at most a quarter of its small pages is unused.  If one call
   makes many blocks executable, keep each of them small while all its pages
   are in use, because some programs fill much memory before they write code
   into it (Ruby's YJIT: 256 MiB).  If the block should not become huge, the
   function sets the time at which hugetext-code.so examines the block
   next.  */
extern bool code_is_worth (struct code_table *table, size_t i, size_t use,
                           size_t n, uint64_t now);

/* Record in the table that EVENT has happened, or is about to happen, to
   [START, END).  Return the number of blocks that counted towards the cap
   before this call and no longer do.  */
extern size_t code_forget (struct code_table *table, uintptr_t start,
                           uintptr_t end, enum code_event event);

/* Return true if all of [START, END) is executable, according to the
   table.  */
extern bool code_covers (const struct code_table *table, uintptr_t start,
                         uintptr_t end);

/* code_any_waits returns true if hugetext-code.so should examine at least one
   block of the table, now or later.  code_any_due returns true if
   hugetext-code.so may have to examine a block at time NOW.  Times are in
   milliseconds since an arbitrary moment.  */
extern bool code_any_waits (const struct code_table *table);
extern bool code_any_due (struct code_table *table, uint64_t now);

/* Starting at index FROM, find the first block that is small, completely
   executable, and due for an examination at time NOW, and return its index.
   If no block is due for an examination, return CODE_BLOCKS, and note in TABLE
   the time at which the next block will be due.  */
extern size_t code_next_due (struct code_table *table, size_t from,
                             uint64_t now);

/* Record in the table that some blocks still have to be examined, because the
   caller stops here and examines them when it runs again.  */
extern void code_left_over (struct code_table *table);

/* Block I cannot become huge at time NOW.  If WAIT is not 0, let the block
   wait for WAIT milliseconds.  If WAIT is 0, let the block wait twice as long
   as the last time.  */
extern void code_wait (struct code_table *table, size_t i, uint64_t now,
                       uint64_t wait);

/* Record that the kernel refuses to make block I huge, for example because the
   block consists of several mappings that the kernel has not merged.  After
   each refusal, the block waits four times as long as before.  */
extern void code_refuse (struct code_table *table, size_t i);

/* Return how many blocks count towards the cap: all blocks that are huge or
   are being made huge.  */
extern size_t code_count (const struct code_table *table);

/* Mark block I of the table as a block that is being made huge.  Return false
   if another thread is already making the block huge.  */
extern bool code_begin (struct code_table *table, size_t i);

/* Return true if block I, which is being made huge, is still the block at
   START and completely executable.  */
extern bool code_is_still (const struct code_table *table, size_t i,
                           uintptr_t start);

/* Record that block I has become huge (code_made), or that it cannot become
   huge (code_not_made).  Return false if another thread has changed the
   block's state since code_begin.  */
extern bool code_made (struct code_table *table, size_t i);
extern bool code_not_made (struct code_table *table, size_t i);

/* Cancel unfinished work on blocks that no thread will finish.  Work stays
   unfinished, for example, if a thread of the parent process was making a
   block huge when this process was forked, or if a signal handler has
   interrupted a thread that was reusing a slot of TABLE, and has never
   returned.  (If a thread continues its work after this function has cancelled
   the work, the table may lose the thread's block.)  Return the number of
   blocks that counted towards the cap before this call and no longer do.  */
extern size_t code_abandon (struct code_table *table);

/* Return true if a mapping at ADDRESS is aligned to blocks of BLOCK bytes.
   OFFSET is the file offset of the mapping, or 0 if it maps no file.  */
static inline bool
code_is_placed (uintptr_t address, uint64_t offset, uintptr_t block)
{
  return ((address - offset) & (block - 1)) == 0;
}

/* Return the first address at or above SPACE at which a mapping of the file
   offset OFFSET would be aligned to blocks.  */
static inline uintptr_t
code_place (uintptr_t space, uint64_t offset, uintptr_t block)
{
  return space + ((offset - space) & (block - 1));
}

#endif /* blocks.h */
