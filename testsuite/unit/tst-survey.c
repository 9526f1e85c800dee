/* Test the survey: the benefit that it computes for programs with known
   samples.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#include "sample/worth.c"

enum
{
  COUNT = 10000,
};

/* Return a program with STARTS processes and COUNT samples.  The samples are
   distributed evenly over PAGES pages of text.  HUGE is the share of this text
   that is on huge pages.  */
static struct sampled_program
make (size_t pages, size_t count, double huge, size_t starts)
{
  struct sampled_program program = { .samples = count,
                                     .in_text = count,
                                     .starts = starts,
                                     .sums.huge = huge * 1000,
                                     .sums.small = (1 - huge) * 1000 };
  for (size_t i = 0; i < count; ++i)
    program_execute (&program, 1 + i % pages);
  program_judge (&program);
  return program;
}

/* Return the number of hot blocks of a program with BLOCKS blocks.  SAMPLES
   has the number of samples of each block.  */
static size_t
hot_of (const size_t samples[], size_t blocks)
{
  struct sampled_program program = { .samples = 0 };
  for (size_t i = 0; i < blocks; ++i)
    for (size_t k = 0; k < samples[i]; ++k)
      {
        ++program.in_text;
        /* A block has 512 pages, and begins at a multiple of 512 pages.  */
        program_heat (&program, 512 * (i + 7) + k % 512, 512);
      }
  const size_t hot = program_hot_blocks (&program);
  EXPECT_EQUAL (program.nblocks, blocks);
  free (program.blocks);
  return hot;
}

/* The hot blocks are the fewest blocks that have nine tenths of the samples,
   in any order.  */
static void
hot_blocks (void)
{
  EXPECT_EQUAL (hot_of ((const size_t[]){ 1000 }, 1), 1);
  EXPECT_EQUAL (hot_of ((const size_t[]){ 50, 900, 50 }, 3), 1);
  EXPECT_EQUAL (hot_of ((const size_t[]){ 101, 899 }, 2), 2);
  EXPECT_EQUAL (hot_of ((const size_t[]){ 10, 20, 400, 30, 500, 40 }, 6), 2);
  EXPECT_EQUAL (hot_of ((const size_t[]){ 200, 200, 200, 200, 200 }, 5), 5);
  /* With too few samples, there is no result.  */
  EXPECT_EQUAL (hot_of ((const size_t[]){ 767 }, 1), 0);
  EXPECT_EQUAL (hot_of ((const size_t[]){ 768 }, 1), 1);
  group_done ("hot blocks", 7);
}

/* A process may have each sample in another block, but root keeps a limited
   number of blocks.  */
static void
many_blocks (void)
{
  struct sampled_program program = { .samples = 0 };
  for (uint64_t i = 0; i < 20000; ++i)
    program_heat (&program, 512 * i, 512);
  EXPECT (program.nblocks <= 4096);
  free (program.blocks);
  group_done ("many blocks", 1);
}

int
main (void)
{
  /* The model of the TLB is exactly LRU.  If all pages fit, each one misses
     once; otherwise every access misses.  */
  for (size_t pages = 1; pages < 300; ++pages)
    EXPECT_EQUAL (make (pages, COUNT, 0, 0).misses,
                  pages <= SAMPLE_ENTRIES ? pages : COUNT);
  group_done ("samples in a TLB", 299);

  const struct sampled_program programs[] = {
    make (1000, COUNT, 0, 0),
    make (1000, COUNT, 0.3, 0),
    make (1000, COUNT / 2, 0, 0),
    make (4, 2 * COUNT, 0, 0),
    make (1000, 2 * COUNT, 1, 0),
    /* Processes that run for a fiftieth of a second each.  */
    make (1000, COUNT, 0, COUNT / SAMPLE_RATE * 50),
  };
  for (size_t i = 0; i < 4; ++i)
    EXPECT (programs[i].worth > programs[i + 1].worth);
  EXPECT (programs[3].worth * 100 < programs[2].worth);
  EXPECT (programs[4].worth == 0 && programs[5].worth == 0);
  EXPECT (program_is_brief (&programs[5]) && !program_is_brief (&programs[0]));
  /* The loader leaves small programs on small pages, whatever they execute. */
  struct sampled_program small = programs[0];
  small.small = true;
  program_judge (&small);
  EXPECT (small.worth == 0);
  group_done ("worth", 7);
  hot_blocks ();
  many_blocks ();
  return 0;
}
