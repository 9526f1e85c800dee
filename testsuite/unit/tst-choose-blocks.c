/* Test how attach chooses blocks of a running process from samples of this
   process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#include "attach/choose.c"

enum
{
  BLOCKS_MAX = 8,
  MANY = 1000000,
};

/* Letters stand for blocks: "s" is small, "h" huge, "f" huge and fixed, "n"
   small and cannot be huge.  In the result, "." stands for no change, "+" for
   a block that becomes huge, and "-" for one that becomes small.  */
static void
truth_table (void)
{
  static const struct
  {
    size_t cap;
    uint64_t samples;
    const char *blocks;
    uint32_t heat[BLOCKS_MAX];
    const char *choices;
  } cases[] = {
    { 4, MANY, "ssss", { 1000, 2000, 3000, 4000 }, "++++" },
    /* The hottest blocks are chosen, no matter in which order they are.  */
    { 2, MANY, "ssss", { 1000, 4000, 2000, 3000 }, ".+.+" },
    { 0, MANY, "ssss", { 1000, 2000, 3000, 4000 }, "...." },
    /* With too few samples, nothing changes.  */
    { 4,
      PROFILE_SAMPLES_LEAST - 1,
      "ssss",
      { 9000, 9000, 9000, 9000 },
      "...." },
    { 4, PROFILE_SAMPLES_LEAST, "ssss", { 9000, 9000, 9000, 9000 }, "++++" },
    { 1, 767, "hhhh", { 0, 0, 0, 0 }, "...." },
    /* A cold block stays huge until another block needs its place.  */
    { 4, MANY, "hh", { 0, 5000 }, ".." },
    { 3, MANY, "hhs", { 0, 5000, 5000 }, "..+" },
    { 2, MANY, "hhs", { 0, 5000, 5000 }, "-.+" },
    { 2, MANY, "hhss", { 0, 10, 5000, 6000 }, "--++" },
    /* A block that cannot be moved stays, and a block that cannot be huge is
       not added.  */
    { 2, MANY, "fhs", { 0, 5000, 9000 }, ".-+" },
    { 2, MANY, "ffs", { 0, 0, 9000 }, "..." },
    { 2, MANY, "hhn", { 0, 0, 9000 }, "..." },
    { 2, MANY, "hhns", { 0, 0, 9000, 8000 }, "-..+" },
    /* A block replaces another only if the difference is large enough.  */
    { 1, MANY, "hs", { 5000, 5000 }, ".." },
    { 1, MANY, "hs", { 5000, 5063 }, ".." },
    { 1, 10000, "hs", { 5000, 5200 }, ".." },
    { 1, MANY, "hs", { 5000, 5200 }, "-+" },
    { 1, MANY, "hs", { 5000, 6000 }, "-+" },
    { 1, 2000, "hs", { 5000, 6000 }, ".." },
    { 2, MANY, "s", { 63 }, "." },
    { 2, MANY, "s", { 64 }, "+" },
    /* With 1000 samples, a unit of heat is 1/65.5 of a sample.  An unused huge
       page needs more than four samples.  To get the huge page of a cold
       block, a block needs nearly one sample more, because moving the cold
       block back has a cost.  To get the huge page of a block with one sample,
       a block needs more than eleven samples.  */
    { 2, 1000, "s", { 262 }, "." },
    { 2, 1000, "s", { 263 }, "+" },
    { 1, 1000, "hs", { 0, 326 }, ".." },
    { 1, 1000, "hs", { 0, 327 }, "-+" },
    { 1, 1000, "hs", { 1, 326 }, ".." },
    { 1, 1000, "hs", { 1, 327 }, "-+" },
    { 1, 1000, "hs", { 2, 595 }, ".." },
    { 1, 1000, "hs", { 2, 596 }, "-+" },
    { 1, 1000, "hs", { 66, 766 }, ".." },
    { 1, 1000, "hs", { 66, 767 }, "-+" },
    /* If there are many samples, a block needs no more samples to get the huge
       page of a cold block than to get an unused huge page.  */
    { 1, MANY, "hs", { 0, 63 }, ".." },
    { 1, MANY, "hs", { 0, 64 }, "-+" },
    /* The coldest blocks lose their huge pages first.  A warm block keeps its
       huge page even if a cold block has lost one.  */
    { 3, 1000, "hhhss", { 66, 0, 0, 400, 300 }, ".-.+." },
    { 3, 1000, "hhhss", { 66, 0, 0, 400, 330 }, ".--++" },
    { 2, 1000, "hhss", { 66, 0, 400, 400 }, ".-+." },
    /* Above the cap, the coldest blocks go, and no more than necessary.  */
    { 1, MANY, "hhh", { 300, 200, 400 }, "--." },
    { 1, MANY, "fhf", { 300, 200, 400 }, ".-." },
    { 1, MANY, "fff", { 0, 0, 0 }, "..." },
    { 2, MANY, "hhhs", { 300, 0, 400, 9000 }, "--.+" },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      struct choose_block blocks[BLOCKS_MAX] = { { .heat = 0 } };
      const size_t n = strlen (cases[i].blocks);
      for (size_t k = 0; k < n; ++k)
        {
          const char kind = cases[i].blocks[k];
          blocks[k].heat = cases[i].heat[k];
          blocks[k].huge = kind == 'h' || kind == 'f';
          blocks[k].movable = kind == 'h';
          blocks[k].possible = kind == 's';
        }
      choose_blocks (blocks, n, cases[i].cap, cases[i].samples);
      for (size_t k = 0; k < n; ++k)
        {
          if (".+-"[blocks[k].choice] != cases[i].choices[k])
            fprintf (stderr, "case %zu, block %zu\n", i, k);
          EXPECT_EQUAL (".+-"[blocks[k].choice], cases[i].choices[k]);
        }
    }
  group_done ("choices", count);
}

/* How many blocks may be huge.  */
static void
caps (void)
{
  static const struct
  {
    size_t cap, files, others, set, unset;
  } cases[] = {
    { 8, 0, 0, 8, 8 },     { 8, 8, 0, 8, 8 },
    { 8, 9, 0, 8, 9 },     { 8, 196, 0, 8, 196 },
    { 8, 196, 8, 8, 204 }, { 8, 196, 9, 8, 204 },
    { 8, 3, 5, 8, 8 },     { 8, 4, 5, 8, 9 },
    { 8, 0, 100, 8, 8 },   { SIZE_MAX, 9, 9, SIZE_MAX, SIZE_MAX },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      EXPECT_EQUAL (
          choose_cap (cases[i].cap, true, cases[i].files, cases[i].others),
          cases[i].set);
      EXPECT_EQUAL (
          choose_cap (cases[i].cap, false, cases[i].files, cases[i].others),
          cases[i].unset);
    }
  group_done ("the number of huge blocks", 2 * count);
}

/* After the changes, the same samples cause no further change.  The cap is
   kept.  Among the blocks that can move, no cold block is huge while a much
   hotter block is small.  */
static void
settles (void)
{
  uint64_t state = 3;
  for (unsigned int round = 0; round < 3000; ++round)
    {
      struct choose_block blocks[64] = { { .heat = 0 } };
      const size_t n = next_random (&state) % 65;
      const size_t cap = next_random (&state) % 40;
      const uint64_t samples
          = PROFILE_SAMPLES_LEAST + next_random (&state) % MANY;
      size_t before = 0, after = 0;
      for (size_t i = 0; i < n; ++i)
        {
          const uint64_t bits = next_random (&state);
          blocks[i]
              = (struct choose_block){ .heat = bits % 4000,
                                       .huge = (bits >> 20) % 3 == 0,
                                       .movable = (bits >> 24) % 4 > 0,
                                       .possible = (bits >> 28) % 4 > 0 };
          before += blocks[i].huge;
        }
      choose_blocks (blocks, n, cap, samples);
      for (size_t i = 0; i < n; ++i)
        {
          EXPECT (blocks[i].choice != CHOICE_ADD
                  || (!blocks[i].huge && blocks[i].possible));
          EXPECT (blocks[i].choice != CHOICE_BACK
                  || (blocks[i].huge && blocks[i].movable));
          if (blocks[i].choice != CHOICE_KEEP)
            {
              blocks[i].huge = blocks[i].choice == CHOICE_ADD;
              blocks[i].movable |= blocks[i].huge;
              blocks[i].possible = true;
            }
          after += blocks[i].huge;
        }
      EXPECT (after <= cap || after <= before);
      for (size_t i = 0; i < n && after == cap; ++i)
        for (size_t k = 0; k < n; ++k)
          EXPECT (
              !blocks[i].huge || !blocks[i].movable || blocks[k].huge
              || !blocks[k].possible
              || !choose_is_worth (blocks[k].heat, blocks[i].heat, samples));
      choose_blocks (blocks, n, cap, samples);
      for (size_t i = 0; i < n; ++i)
        EXPECT_EQUAL (blocks[i].choice, CHOICE_KEEP);
    }
  group_done ("settles", 3000);
}

/* If two blocks are equally hot and are sampled again and again, they replace
   each other less than once in 300 times.  */
static void
hysteresis (void)
{
  uint64_t state = 21;
  unsigned int changes = 0;
  const unsigned int rounds = 20000;
  for (unsigned int round = 0; round < rounds; ++round)
    {
      /* Each of 1000 samples falls into one of the two blocks by chance.  */
      uint32_t first = 0;
      for (int i = 0; i < 1000; i += 50)
        first += __builtin_popcountll (next_random (&state)
                                       & ((UINT64_C (1) << 50) - 1));
      struct choose_block blocks[2]
          = { { .heat = first * 65, .huge = true, .movable = true },
              { .heat = (1000 - first) * 65, .possible = true } };
      choose_blocks (blocks, 2, 1, 1000);
      changes += blocks[0].choice == CHOICE_BACK;
    }
  EXPECT (changes < rounds / 300);
  group_done ("equally hot blocks rarely replace each other", rounds);
}

/* Blocks that are equally lukewarm and get a few samples in each round almost
   never replace each other, although some of them are cold by chance.  The
   samples of all rounds are added up.  Earlier samples together count at most
   three times as much as those of a round (ADAPT_OLD_MOST).  */
static void
lukewarm (void)
{
  enum
  {
    COUNT = 128,
    ROUNDS = 400,
    PER_ROUND = 1000,
  };
  uint64_t state = 5;
  for (unsigned int each = 1; each <= 6; ++each)
    {
      struct choose_block blocks[COUNT] = { { .heat = 0 } };
      double weights[COUNT] = { 0 }, all = 0;
      unsigned int changes = 0;
      for (size_t i = 0; i < COUNT; ++i)
        blocks[i].huge = i < COUNT / 2;
      for (unsigned int round = 0; round < ROUNDS; ++round)
        {
          const double keep = all > 3 * PER_ROUND ? 3 * PER_ROUND / all : 1;
          all = keep * all + PER_ROUND;
          for (size_t i = 0; i < COUNT; ++i)
            weights[i] *= keep;
          for (size_t i = 0; i < COUNT * each; ++i)
            ++weights[next_random (&state) % COUNT];
          for (size_t i = 0; i < COUNT; ++i)
            {
              /* Round up, as history_heats does.  */
              const double heat = weights[i] * ALL / all;
              blocks[i].heat = (uint32_t) heat + (heat > (uint32_t) heat);
              blocks[i].movable = blocks[i].huge;
              blocks[i].possible = !blocks[i].huge;
            }
          choose_blocks (blocks, COUNT, COUNT / 2, all);
          for (size_t i = 0; i < COUNT; ++i)
            if (blocks[i].choice == CHOICE_ADD)
              {
                blocks[i].huge = true;
                ++changes;
              }
            else if (blocks[i].choice == CHOICE_BACK)
              blocks[i].huge = false;
        }
      /* The policy was seen to make at most 0.06 changes per round.  */
      EXPECT (changes < ROUNDS / 10);
    }
  group_done ("lukewarm blocks rarely replace each other", 6);
}

int
main (void)
{
  truth_table ();
  caps ();
  settles ();
  hysteresis ();
  lukewarm ();
  return 0;
}
