/* The table of the blocks with code made at run time: the state of each block,
   and the time at which hugetext-code.so examines the block next.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include "blocks.h"

#include "hugetext-code.h"

/* Special values of the member DUE.  AFTER_LOSS means that the block has lost
   its huge page, or that the kernel has refused to make the block huge.  The
   function code_next_due replaces AFTER_LOSS by the time of the block's next
   examination.  */
#define AT_ONCE UINT64_C (0)
#define AFTER_LOSS UINT64_C (1)
#define NEVER UINT64_MAX

/* The maximum number of times that hugetext-code.so doubles the time between
   two examinations of a block.  */
#define PATIENCE 6

/* If one call makes at least this many blocks executable, the blocks are
   marked as bulk: the program may have made them executable before it writes
   code into them.  HotSpot makes only two blocks executable at a time, so its
   blocks are never marked as bulk.  */
#define CODE_BULK 8

#define load(p) __atomic_load_n (p, __ATOMIC_SEQ_CST)
#define store(p, value) __atomic_store_n (p, value, __ATOMIC_SEQ_CST)

static inline bool
swap (uint32_t *p, uint32_t expected, uint32_t value)
{
  return __atomic_compare_exchange_n (p, &expected, value, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline uintptr_t
part_size (const struct code_table *table)
{
  return table->block / CODE_PARTS;
}

/* The operations of the function "parts", which tests or changes parts of a
   block.  */
enum look
{
  HAS_ALL,
  HAS_ANY,
  SET,
  CLEAR
};

/* Apply the operation LOOK to parts [FIRST, LAST) of block B.  */
static bool
parts (struct code_block *b, size_t first, size_t last, enum look look)
{
  bool all = true, any = false;
  for (size_t w = first / 64; w * 64 < last; ++w)
    {
      uint64_t bits = UINT64_MAX;
      if (first > w * 64)
        bits &= UINT64_MAX << (first - w * 64);
      if (last < (w + 1) * 64)
        bits &= ~(UINT64_MAX << (last - w * 64));
      if (look == SET)
        __atomic_fetch_or (&b->parts[w], bits, __ATOMIC_SEQ_CST);
      else if (look == CLEAR)
        __atomic_fetch_and (&b->parts[w], ~bits, __ATOMIC_SEQ_CST);
      else
        {
          uint64_t found = load (&b->parts[w]) & bits;
          all &= found == bits;
          any |= found != 0;
        }
    }
  return look == HAS_ANY ? any : all;
}

static bool
blocks_is_empty_slot (const struct code_block *b)
{
  return !parts ((struct code_block *) b, 0, CODE_PARTS, HAS_ANY);
}

static bool
blocks_is_full_table (const struct code_block *b)
{
  return parts ((struct code_block *) b, 0, CODE_PARTS, HAS_ALL);
}

/* Find the parts of the block at BLOCK that are in [START, END).  (A block
   consists of CODE_PARTS parts.)  Set FIRST to the number of the first part
   found.  Return the number of the last part of the block that was found, plus
   1.  If WIDE, also count parts that are only partly in [START, END).  */
static size_t
range (const struct code_table *table, uintptr_t block, uintptr_t start,
       uintptr_t end, bool wide, size_t *first)
{
  uintptr_t part = part_size (table);
  uintptr_t from = start > block ? start - block : 0;
  uintptr_t to = end - block < table->block ? end - block : table->block;
  *first = (from + (wide ? 0 : part - 1)) / part;
  return (to + (wide ? part - 1 : 0)) / part;
}

static size_t
used (const struct code_table *table)
{
  size_t n = load (&table->used);
  return n < CODE_BLOCKS ? n : CODE_BLOCKS;
}

/* Return the index of the slot of TABLE whose block is at START.  Ignore the
   slot with the index EXCEPT.  If no slot except EXCEPT has a block at START,
   return CODE_BLOCKS, which is no index.  */
static size_t
blocks_find_slot (const struct code_table *table, uintptr_t start,
                  size_t except)
{
  size_t n = used (table);
  for (size_t i = 0; i < n; ++i)
    if (i != except && load (&table->start[i]) == start)
      return i;
  return CODE_BLOCKS;
}

/* Set B back to its initial state, because its addresses have a new
   mapping.  */
static void
reset (struct code_block *b)
{
  store (&b->tries, 0);
  store (&b->bulk, 0);
  store (&b->lost, 0);
  store (&b->looked, 0);
}

/* Use slot I of the table for the block at START.  Return false if slot I is
   in use.  */
static bool
reuse (struct code_table *table, size_t i, uintptr_t start)
{
  struct code_block *b = &table->at[i];
  /* While the state of slot I is CODE_BEING_REUSED, no other thread begins to
     make the slot's block huge.  */
  if (!blocks_is_empty_slot (b)
      || !swap (&b->state, CODE_SMALL, CODE_BEING_REUSED))
    return false;
  if (!blocks_is_empty_slot (b))
    {
      store (&b->state, CODE_SMALL);
      return false;
    }
  reset (b);
  store (&table->start[i], start);
  uint32_t n = load (&table->used);
  while (n < i + 1 && !swap (&table->used, n, i + 1))
    n = load (&table->used);
  return true;
}

/* Return the index of the block at START, and add the block if necessary.  If
   the table of blocks has no free slot, return CODE_BLOCKS.  */
static size_t
find_or_add (struct code_table *table, uintptr_t start)
{
  size_t i = blocks_find_slot (table, start, CODE_BLOCKS);
  if (i < CODE_BLOCKS)
    return i;
  for (i = 0; i < CODE_BLOCKS && !reuse (table, i, start); ++i)
    continue;
  if (i == CODE_BLOCKS)
    return CODE_BLOCKS;
  /* The table must not contain a block twice, because the cap would count the
     block twice.  If several threads add the same block at the same time, all
     of them may remove the block again; a later call then adds the block.  */
  size_t other = blocks_find_slot (table, start, i);
  if (other < CODE_BLOCKS)
    store (&table->start[i], 0);
  swap (&table->at[i].state, CODE_BEING_REUSED, CODE_SMALL);
  return other < CODE_BLOCKS ? other : i;
}

/* Make block I due at time WHEN.  */
static void
set_due (struct code_table *table, size_t i, uint64_t when)
{
  store (&table->at[i].due, when);
  if (when < load (&table->next))
    store (&table->next, when);
}

/* Return true if block I, which has been examined, may still be getting more
   code.  */
static bool
is_filling (const struct code_table *table, size_t i)
{
  return (load (&table->at[i].lost) == 0
          && load (&table->at[i].looked) != load (&table->now));
}

/* Make all examined small blocks due now, except blocks that have lost a huge
   page, and blocks that the kernel has refused to make huge.  */
static void
all_due (struct code_table *table)
{
  for (size_t i = 0; i < used (table); ++i)
    if (load (&table->at[i].state) == CODE_SMALL
        && load (&table->at[i].tries) > 0 && load (&table->at[i].lost) == 0)
      {
        store (&table->at[i].tries, 0);
        set_due (table, i, AT_ONCE);
      }
}

bool
code_is_heap (const struct code_table *table, size_t length)
{
  return length / table->block > CODE_BLOCKS;
}

void
code_note (struct code_table *table, uintptr_t start, uintptr_t end,
           bool grown)
{
  bool written = !grown;
  bool bulk = (end - start) / table->block >= CODE_BULK;
  /* A program maps new memory for code when its older memory for code is full.
     So examine all older small blocks at once.  */
  if (grown)
    all_due (table);
  for (uintptr_t b = start & -table->block; b < end; b += table->block)
    {
      size_t first, last = range (table, b, start, end, false, &first);
      size_t i = find_or_add (table, b);
      if (i == CODE_BLOCKS)
        return;
      if (bulk && load (&table->at[i].tries) == 0
          && blocks_is_empty_slot (&table->at[i]))
        store (&table->at[i].bulk, 1);
      if (first < last)
        parts (&table->at[i], first, last, SET);
      /* Examine only an executable block.  If a program makes existing memory
         executable again, it has probably written code to this memory, so
         examine a block at once.  Programs fill memory with code from low to
         high addresses, so the first block shows whether to examine the other
         blocks.  */
      if (load (&table->at[i].state) != CODE_SMALL
          || !blocks_is_full_table (&table->at[i]))
        continue;
      if (load (&table->at[i].tries) == 0
          || (written && is_filling (table, i)))
        set_due (table, i, AT_ONCE);
      else
        set_due (table, i, load (&table->at[i].due));
      written = false;
    }
}

void
code_wait (struct code_table *table, size_t i, uint64_t now, uint64_t wait)
{
  uint32_t tries
      = __atomic_fetch_add (&table->at[i].tries, 1, __ATOMIC_SEQ_CST);
  if (wait == 0)
    wait = tries < PATIENCE ? UINT64_C (1) << tries : CODE_WAIT_FILLING;
  set_due (table, i, now + wait);
}

bool
code_is_worth (struct code_table *table, size_t i, size_t use, size_t n,
               uint64_t now)
{
  struct code_block *b = &table->at[i];
  store (&b->looked, now);
  if (use < n)
    store (&b->bulk, 0);
  bool empty = load (&b->bulk) != 0 || use == 0;
  if (!empty && use >= HUGETEXT_CODE_ENOUGH (n))
    return true;
  code_wait (table, i, now,
             empty && load (&b->tries) >= PATIENCE ? CODE_WAIT_LONG : 0);
  return false;
}

/* If a thread is making block I huge, set the state of the block back to
   CODE_SMALL.  After the collapse, the thread sees that the state is no longer
   CODE_BEING_MADE, and does not count the block as huge.  */
static bool
abandon (struct code_table *table, size_t i)
{
  if (!swap (&table->at[i].state, CODE_BEING_MADE, CODE_SMALL))
    return false;
  set_due (table, i, load (&table->at[i].due));
  return true;
}

void
code_refuse (struct code_table *table, size_t i)
{
  __atomic_fetch_add (&table->at[i].lost, 1, __ATOMIC_SEQ_CST);
  store (&table->at[i].tries, 1);
  set_due (table, i, AFTER_LOSS);
}

/* Update block I of the table because EVENT happens to its parts [FIRST,
   LAST).  Return true if block I counted towards the cap before this call and
   no longer does.  */
static bool
forget_parts (struct code_table *table, size_t i, size_t first, size_t last,
              enum code_event event)
{
  struct code_block *b = &table->at[i];
  bool whole = first == 0 && last == CODE_PARTS;
  if (event != CODE_EMPTIED)
    parts (b, first, last, CLEAR);
  if (event == CODE_UNMAPPED)
    reset (b);
  /* If the protection of the whole huge page changes, the page stays
     huge.  */
  if (event == CODE_NOT_EXECUTABLE && whole && load (&b->state) == CODE_HUGE)
    return false;
  /* If a thread is making the block huge, abandon sets the state of the block
     back, so that the thread does not count the block as huge.  */
  if (abandon (table, i))
    return true;
  if (!swap (&b->state, CODE_HUGE, CODE_SMALL))
    return false;
  if (event != CODE_UNMAPPED)
    code_refuse (table, i);
  return true;
}

size_t
code_forget (struct code_table *table, uintptr_t start, uintptr_t end,
             enum code_event event)
{
  size_t n = used (table), places = 0;
  for (size_t i = 0; i < n; ++i)
    {
      uintptr_t b = load (&table->start[i]);
      if (b == 0 || end <= b || start >= b + table->block || start >= end)
        continue;
      size_t first, last = range (table, b, start, end, true, &first);
      places += forget_parts (table, i, first, last, event);
    }
  if (places > 0)
    /* Fewer blocks now count towards the cap (the maximum number of huge
       blocks), so other blocks can become huge.  */
    all_due (table);
  return places;
}

bool
code_covers (const struct code_table *table, uintptr_t start, uintptr_t end)
{
  bool all = start < end;
  for (uintptr_t b = start & -table->block; all && b < end; b += table->block)
    {
      size_t i = blocks_find_slot (table, b, CODE_BLOCKS);
      size_t first, last = range (table, b, start, end, true, &first);
      all = (i < CODE_BLOCKS
             && parts ((struct code_block *) &table->at[i], first, last,
                       HAS_ALL));
    }
  return all;
}

bool
code_any_waits (const struct code_table *table)
{
  /* If a program makes no code at run time, the function only reads USED and
     NEXT.  */
  return load (&table->used) != 0 && load (&table->next) != NEVER;
}

bool
code_any_due (struct code_table *table, uint64_t now)
{
  store (&table->now, now);
  return load (&table->next) <= now;
}

size_t
code_next_due (struct code_table *table, size_t from, uint64_t now)
{
  size_t n = used (table);
  if (from == 0)
    store (&table->next, NEVER);
  for (size_t i = from; i < n; ++i)
    {
      struct code_block *b = &table->at[i];
      if (load (&b->state) != CODE_SMALL || !blocks_is_full_table (b))
        continue;
      uint64_t due = load (&b->due);
      if (due == AFTER_LOSS)
        {
          /* Wait longer after each loss of the huge page, because making a
             block huge again and again would cost more time than it saves.  */
          uint32_t lost = load (&b->lost);
          due = now + (CODE_WAIT_LONG << (lost < 8 ? 2 * lost : 16));
        }
      else if (due <= now)
        return i;
      set_due (table, i, due);
    }
  return CODE_BLOCKS;
}

void
code_left_over (struct code_table *table)
{
  store (&table->next, AT_ONCE);
}

size_t
code_count (const struct code_table *table)
{
  const size_t n = used (table);
  size_t places = 0;
  for (size_t i = 0; i < n; ++i)
    {
      const uint32_t state = load (&table->at[i].state);
      places += state == CODE_BEING_MADE || state == CODE_HUGE;
    }
  return places;
}

bool
code_begin (struct code_table *table, size_t i)
{
  return swap (&table->at[i].state, CODE_SMALL, CODE_BEING_MADE);
}

bool
code_is_still (const struct code_table *table, size_t i, uintptr_t start)
{
  return load (&table->start[i]) == start
         && blocks_is_full_table (&table->at[i]);
}

bool
code_made (struct code_table *table, size_t i)
{
  if (!swap (&table->at[i].state, CODE_BEING_MADE, CODE_HUGE))
    return false;
  /* The block after a block that became huge may also be full of code.  */
  size_t next = blocks_find_slot (
      table, load (&table->start[i]) + table->block, CODE_BLOCKS);
  if (next < CODE_BLOCKS && load (&table->at[next].state) == CODE_SMALL
      && blocks_is_full_table (&table->at[next]) && is_filling (table, next))
    set_due (table, next, AT_ONCE);
  return true;
}

bool
code_not_made (struct code_table *table, size_t i)
{
  return swap (&table->at[i].state, CODE_BEING_MADE, CODE_SMALL);
}

size_t
code_abandon (struct code_table *table)
{
  size_t n = used (table), places = 0;
  for (size_t i = 0; i < n; ++i)
    {
      places += abandon (table, i);
      swap (&table->at[i].state, CODE_BEING_REUSED, CODE_SMALL);
    }
  return places;
}
