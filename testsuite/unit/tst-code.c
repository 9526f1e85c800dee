/* Tests of the code object's policy: which blocks contain code, when they are
   due, and how many count towards the cap.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <pthread.h>

#include "code-check.h"

static struct code_table table;

static void
clear (void)
{
  memset (&table, 0, sizeof table);
  table.block = BLOCK;
}

static bool
is_due (uintptr_t start, uint64_t now)
{
  bool due = false;
  for (size_t i = 0; (i = code_next_due (&table, i, now)) < CODE_BLOCKS; ++i)
    due |= table.start[i] == start;
  return due;
}

static void
test_filling (void)
{
  clear ();
  EXPECT (!code_any_waits (&table));
  /* First all pages but the last, then the last.  */
  code_note (&table, BASE, BASE + BLOCK - PART, true);
  EXPECT (!is_due (BASE, 0));
  code_note (&table, BASE + BLOCK - PART, BASE + BLOCK, true);
  EXPECT (code_any_waits (&table));
  EXPECT (is_due (BASE, 0));
  /* The block fills: it is examined after 1, 2, 4 ms, and so on up to 64
     ms.  */
  uint64_t now = 5000, last = now;
  uint64_t wait[10];
  for (size_t i = 0; i < 10; ++i)
    {
      EXPECT (is_due (BASE, now));
      EXPECT (!code_is_worth (&table, 0, 100, 512, now));
      while (!is_due (BASE, now))
        ++now;
      wait[i] = now - last;
      last = now;
      EXPECT_EQUAL (wait[i], i < 6 ? UINT64_C (1) << i : CODE_WAIT_FILLING);
    }
  /* If the block gets more code, it is examined at once.  */
  EXPECT (!code_is_worth (&table, 0, 100, 512, now));
  EXPECT (!is_due (BASE, now));
  code_note (&table, BASE + BLOCK, BASE + BLOCK + PART, true);
  EXPECT (is_due (BASE, now));
  EXPECT (code_is_worth (&table, 0, 384, 512, now));
  EXPECT (!code_is_worth (&table, 0, 383, 512, now));
  group_done ("a block that fills", 10);
}

static void
test_parts (void)
{
  /* A part counts only if it is completely executable.  A part no longer
     counts if any byte of it is no longer executable.  */
  clear ();
  code_note (&table, BASE + 1, BASE + BLOCK, true);
  EXPECT (!code_covers (&table, BASE, BASE + BLOCK));
  EXPECT (code_covers (&table, BASE + PART, BASE + BLOCK));
  code_note (&table, BASE, BASE + PART, true);
  EXPECT (code_covers (&table, BASE, BASE + BLOCK));
  code_forget (&table, BASE + PART + 1, BASE + PART + 2, CODE_UNMAPPED);
  EXPECT (!code_covers (&table, BASE + PART, BASE + 2 * PART));
  EXPECT (code_covers (&table, BASE + 2 * PART, BASE + BLOCK));
  EXPECT (!code_covers (&table, BASE, BASE));
  group_done ("parts of a block", 5);
}

static void
test_lost (void)
{
  /* Each time a part of a huge block changes, the block waits four times as
     long as before.  */
  uint64_t now = 1, wait = 0;
  clear ();
  code_note (&table, BASE, BASE + BLOCK, true);
  for (int i = 0; i < 8; ++i)
    {
      EXPECT (is_due (BASE, now));
      EXPECT (code_begin (&table, 0) && code_made (&table, 0));
      EXPECT_EQUAL (
          code_forget (&table, BASE, BASE + PART, CODE_NOT_EXECUTABLE), 1);
      code_note (&table, BASE, BASE + PART, false);
      EXPECT (!is_due (BASE, now));
      uint64_t until = now + wait;
      EXPECT (!is_due (BASE, until));
      wait = CODE_WAIT_LONG << 2 * (i + 1);
      now += wait;
    }
  /* If the kernel refuses the block, the next examination of the block is not
     soon, even if memory becomes executable again.  */
  clear ();
  now = 1;
  code_note (&table, BASE, BASE + BLOCK, true);
  EXPECT (is_due (BASE, now));
  code_refuse (&table, 0);
  EXPECT (!is_due (BASE, now));
  code_note (&table, BASE, BASE + BLOCK, false);
  code_note (&table, BASE + BLOCK, BASE + BLOCK + PART, true);
  EXPECT (!is_due (BASE, now + CODE_WAIT_LONG));
  EXPECT (is_due (BASE, now + 8 * CODE_WAIT_LONG));
  /* An event for the whole block does not count as a change of the block.  */
  clear ();
  code_note (&table, BASE, BASE + BLOCK, true);
  EXPECT (code_begin (&table, 0) && code_made (&table, 0));
  EXPECT_EQUAL (code_forget (&table, BASE, BASE + BLOCK, CODE_NOT_EXECUTABLE),
                0);
  EXPECT (!code_covers (&table, BASE, BASE + PART));
  code_note (&table, BASE, BASE + BLOCK, false);
  EXPECT_EQUAL (table.at[0].state, CODE_HUGE);
  EXPECT_EQUAL (code_forget (&table, BASE, BASE + BLOCK, CODE_UNMAPPED), 1);
  group_done ("blocks that change", 10);
}

static void
test_bulk (void)
{
  /* Many blocks at once, all in use when first examined: this does not show
     that they contain code.  */
  clear ();
  code_note (&table, BASE, BASE + 8 * BLOCK, false);
  EXPECT (!code_is_worth (&table, 3, 512, 512, 0));
  EXPECT (!code_is_worth (&table, 3, 512, 512, 1000));
  EXPECT (!code_is_worth (&table, 4, 400, 511 + 200, 0));
  EXPECT (code_is_worth (&table, 4, 512, 512, 0));
  /* This rule does not apply to a few blocks, or to blocks that have been
     unmapped meanwhile.  */
  clear ();
  code_note (&table, BASE, BASE + 7 * BLOCK, false);
  EXPECT (code_is_worth (&table, 3, 512, 512, 0));
  EXPECT (!code_is_heap (&table, CODE_BLOCKS * BLOCK));
  EXPECT (code_is_heap (&table, (CODE_BLOCKS + 1) * BLOCK));
  group_done ("bulk", 7);
}

static void
test_room (void)
{
  /* More blocks than the table has space for.  Slots of blocks that are no
     longer in use can be reused.  */
  clear ();
  code_note (&table, BASE, BASE + 2 * CODE_BLOCKS * BLOCK, true);
  EXPECT_EQUAL (table.used, CODE_BLOCKS);
  EXPECT (!code_covers (&table, BASE + CODE_BLOCKS * BLOCK,
                        BASE + (CODE_BLOCKS + 1) * BLOCK));
  code_forget (&table, BASE + 5 * BLOCK, BASE + 6 * BLOCK, CODE_UNMAPPED);
  code_note (&table, BASE + 300 * BLOCK, BASE + 301 * BLOCK, true);
  EXPECT (code_covers (&table, BASE + 300 * BLOCK, BASE + 301 * BLOCK));
  EXPECT (is_due (BASE + 300 * BLOCK, 0));
  group_done ("room", 2 * CODE_BLOCKS);
}

static void
test_random (void)
{
  static uint8_t data[4000];
  uint64_t state = 815;
  unsigned long int n;
  for (n = 0; n < 3000; ++n)
    {
      size_t size = next_random (&state) % sizeof data;
      for (size_t i = 0; i < size; ++i)
        data[i] = next_random (&state) >> 20;
      check_steps (data, size);
    }
  group_done ("random steps", n);
}

/* How many blocks the threads have counted towards the cap.  */
static long int places;

static void *
run_thread (void *number)
{
  uint64_t state = (uintptr_t) number + 1;
  for (int k = 0; k < 200000; ++k)
    {
      uint64_t r = next_random (&state);
      uintptr_t start = BASE + r % 4 * BLOCK + (r >> 8) % 4 * (BLOCK / 4);
      uintptr_t end = start + BLOCK / 4 + (r >> 16) % 2 * BLOCK;
      switch ((r >> 24) % 4)
        {
        case 0:
          __atomic_fetch_sub (&places,
                              code_forget (&table, start, end, (r >> 32) % 3),
                              __ATOMIC_SEQ_CST);
          break;
        case 1:
        case 2:
          code_note (&table, start, end, (r >> 32) % 2);
          break;
        default:
          for (size_t i = 0; (i = code_next_due (&table, i, k)) < CODE_BLOCKS;
               ++i)
            {
              __atomic_fetch_add (&places, 1, __ATOMIC_SEQ_CST);
              if (!code_begin (&table, i))
                __atomic_fetch_sub (&places, 1, __ATOMIC_SEQ_CST);
              else if (r % 8 == 0)
                __atomic_fetch_sub (&places, code_not_made (&table, i),
                                    __ATOMIC_SEQ_CST);
              else
                code_made (&table, i);
            }
        }
    }
  return NULL;
}

static void
test_threads (void)
{
  pthread_t thread[4];
  clear ();
  for (uintptr_t i = 0; i < 4; ++i)
    EXPECT_EQUAL (pthread_create (&thread[i], NULL, run_thread, (void *) i),
                  0);
  for (int i = 0; i < 4; ++i)
    pthread_join (thread[i], NULL);
  long int taken = 0;
  for (size_t i = 0; i < table.used; ++i)
    taken += table.at[i].state != CODE_SMALL;
  EXPECT_EQUAL (places, taken);
  group_done ("threads", 800000);
}

int
main (void)
{
  test_filling ();
  test_parts ();
  test_lost ();
  test_bulk ();
  test_room ();
  test_random ();
  test_threads ();
  return 0;
}
