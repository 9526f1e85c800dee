/* A list of the blocks that hold code made at run time, and of when each is
   tried.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy of what follows code: no system call, no lock, no memory but the
   table's.  Threads, and signal handlers, may use a table at the same time.
   Where two of them are at the same addresses at once, a block may be lost
   sight of, or be taken for code that is none: so the kernel is asked before
   anything is done about a block.  How many are huge is counted right.  */

#ifndef CODE_BLOCKS_H
#define CODE_BLOCKS_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks that are followed.  HotSpot's code cache has 120 at most by default;
   and few programs have so many that a later one would be worth more.  */
#define CODE_BLOCKS 128

/* A block is followed by so many parts: pages, where a page is 4 KiB.  */
#define CODE_PARTS 512

enum code_state
{
  CODE_SMALL,
  CODE_BEING_MADE,
  CODE_HUGE,
  CODE_BEING_REUSED /* For another block.  */
};

struct code_block
{
  uint32_t state;  /* enum code_state.  */
  uint32_t tries;  /* Since something was mapped there.  */
  uint32_t bulk;   /* It became executable with many others in
                      one call, and has not been looked at.  */
  uint32_t lost;   /* How often it was huge, and a part of it was
                      changed, or was never to be.  */
  uint64_t due;    /* Not to be looked at before that time.  */
  uint64_t looked; /* When it was looked at.  */
  uint64_t parts[CODE_PARTS / 64]; /* Executable ones: a bit each.  */
};

struct code_table
{
  uintptr_t block;              /* Bytes, a power of two.  */
  uint64_t next;                /* When the next block may be due.  */
  uint64_t now;                 /* When that was asked.  */
  uint32_t used;                /* Of the following, from the first on.  */
  uintptr_t start[CODE_BLOCKS]; /* Addresses.  */
  struct code_block at[CODE_BLOCKS];
};

/* A block that fills is looked at again after a millisecond, then after twice
   as many, and at last after so many: a look takes some ten microseconds.  */
#define CODE_WAIT_FILLING 64

/* One that stays empty, or that cannot be made, after so many.  */
#define CODE_WAIT_LONG 1024

/* Events of a range.  */
enum code_event
{
  CODE_UNMAPPED,       /* Nothing of it is left.  */
  CODE_NOT_EXECUTABLE, /* It may become so again.  */
  CODE_EMPTIED         /* Its pages are gone, or small.  */
};

/* Whether a new mapping of LENGTH bytes that may be written and executed is a
   heap rather than code (sbcl's is 1 GiB).  */
extern bool code_is_heap (const struct code_table *table, size_t length);

/* [START, END) has become executable.  GROWN says that it is new memory, so
   that older parts of the same are probably full.  */
extern void code_note (struct code_table *table, uintptr_t start,
                       uintptr_t end, bool grown);

/* Of N pages of block I so many are in USE.  True if it is to be made: so much
   of it that the rest is no waste, and not all of it at first sight, as where
   a program fills much memory before there is any code in it (Ruby's YJIT, 256
   MiB).  Otherwise it has to wait.  */
extern bool code_is_worth (struct code_table *table, size_t i, size_t use,
                           size_t n, uint64_t now);

/* EVENT has happened to, or is about to happen to [START, END).  Returns how
   many places are free again: of huge blocks that are not any more, and of
   blocks that were being made.  */
extern size_t code_forget (struct code_table *table, uintptr_t start,
                           uintptr_t end, enum code_event event);

/* Whether all of [START, END) is executable, by what is known.  */
extern bool code_covers (const struct code_table *table, uintptr_t start,
                         uintptr_t end);

/* Whether any block waits, and whether one may be due at NOW.  Times are
   milliseconds from anywhere.  */
extern bool code_any_waits (const struct code_table *table);
extern bool code_any_due (struct code_table *table, uint64_t now);

/* The number of a block that is due at NOW, is executable as a whole, and is
   small, from number FROM on; CODE_BLOCKS if there is none, and when the next
   one is has been noted.  */
extern size_t code_next_due (struct code_table *table, size_t from,
                             uint64_t now);

/* Blocks are left over that are due.  */
extern void code_left_over (struct code_table *table);

/* Block I cannot be made NOW: let it wait for WAIT milliseconds, or, if that
   is 0, for twice as many as the last time.  */
extern void code_wait (struct code_table *table, size_t i, uint64_t now,
                       uint64_t wait);

/* The kernel does not make block I as it is mapped, such as in several
   mappings that look alike, but are not joined.  It waits four times as long
   each time.  */
extern void code_refuse (struct code_table *table, size_t i);

/* Block I, which has a place, is being made.  False if another thread does
   that.  */
extern bool code_begin (struct code_table *table, size_t i);

/* Whether block I, which is being made, is still that at START, and all
   code.  */
extern bool code_is_still (const struct code_table *table, size_t i,
                           uintptr_t start);

/* It is huge now, or cannot be made.  False if something has happened to it
   meanwhile: then its place is free already.  */
extern bool code_made (struct code_table *table, size_t i);
extern bool code_not_made (struct code_table *table, size_t i);

/* In a child that was forked while another thread made a block: no thread goes
   on with it.  Returns how many places are free.  */
extern size_t code_abandon (struct code_table *table);

#endif /* blocks.h */
