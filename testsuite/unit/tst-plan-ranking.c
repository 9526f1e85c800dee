/* Tests of the ranking: the same blocks are within the cap as by sorting.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "plan-test.h"

#define BLOCKS_MAX 600

struct entry
{
  uintptr_t text;
  uintptr_t rank;
  size_t position; /* In the order of counting.  */
};

/* Most text first; among equals, who came first.  */
static int
compare_entries (const void *left, const void *right)
{
  const struct entry *a = left;
  const struct entry *b = right;
  if (a->rank != b->rank)
    return a->rank > b->rank ? -1 : 1;
  return a->position < b->position ? -1 : 1;
}

/* The share of a block that TEXT fills, in steps of one in HUGETEXT_RANKS of
   it but no less than a byte, begun ones counted.  More than full is
   full.  */
static uintptr_t
reference_rank (const struct hugetext_geometry *geo, uintptr_t text)
{
  uintptr_t rank = 0;
  uintptr_t step = geo->block / HUGETEXT_RANKS;
  if (step == 0)
    step = 1;
  while (rank < HUGETEXT_RANKS && rank * step < text)
    ++rank;
  return rank;
}

/* Ask for each of the N blocks with TEXT bytes and compare with sorting.  */
static void
check_cut (const struct hugetext_geometry *geo, const uintptr_t *text,
           size_t n, size_t budget)
{
  static struct entry entries[BLOCKS_MAX];
  static bool take[BLOCKS_MAX];
  static struct hugetext_ranking ranking;

  for (size_t i = 0; i < n; ++i)
    {
      entries[i] = (struct entry){ .text = text[i],
                                   .rank = reference_rank (geo, text[i]),
                                   .position = i };
      take[i] = false;
    }
  qsort (entries, n, sizeof entries[0], compare_entries);
  for (size_t i = 0; i < n && i < budget; ++i)
    take[entries[i].position] = true;

  memset (&ranking, 0x5a, sizeof ranking);
  hugetext_ranking_init (&ranking);
  for (size_t i = 0; i < n; ++i)
    hugetext_ranking_add (&ranking, geo, text[i], HUGETEXT_HEAT_UNKNOWN);
  hugetext_ranking_cut (&ranking, budget);
  size_t taken = 0;
  for (size_t i = 0; i < n; ++i)
    {
      bool answer = (hugetext_ranking_take (&ranking, geo, text[i],
                                            HUGETEXT_HEAT_UNKNOWN)
                     == HUGETEXT_TAKE);
      EXPECT_EQUAL (answer, take[i]);
      taken += answer;
    }
  EXPECT_EQUAL (taken, n < budget ? n : budget);
}

static unsigned long int cuts;

/* Budgets around every interesting place.  */
static void
check_budgets (const struct hugetext_geometry *geo, const uintptr_t *text,
               size_t n)
{
  for (size_t budget = 0; budget <= n + 1; ++budget)
    {
      /* All of them for few blocks, and for many those at the ends.  */
      if (n > 40 && budget > 3 && budget < n - 3 && budget % 37 != 5)
        continue;
      check_cut (geo, text, n, budget);
      ++cuts;
    }
  check_cut (geo, text, n, HUGETEXT_BLOCKS_MAX);
  check_cut (geo, text, n, SIZE_MAX / 2);
  check_cut (geo, text, n, SIZE_MAX);
  cuts += 3;
}

/* Blocks that come late, where USED of CAP are in use: those that fill less
   than three quarters of that share are as if they were not there.  */
static void
check_late (const struct hugetext_geometry *geo, const uintptr_t *text,
            size_t n, size_t used, size_t cap)
{
  static struct hugetext_ranking late, usual;
  size_t budget = cap > used ? cap - used : 0;

  memset (&late, 0x5a, sizeof late);
  hugetext_ranking_init (&late);
  hugetext_ranking_keep_free (&late, geo, used, cap);
  hugetext_ranking_init (&usual);
  for (size_t i = 0; i < n; ++i)
    {
      hugetext_ranking_add (&late, geo, text[i], HUGETEXT_HEAT_UNKNOWN);
      /* In whole bytes, as the loader has them.  */
      if (text[i] >= 3 * geo->block * used / (4 * cap))
        hugetext_ranking_add (&usual, geo, text[i], HUGETEXT_HEAT_UNKNOWN);
    }
  hugetext_ranking_cut (&late, budget);
  hugetext_ranking_cut (&usual, budget);
  for (size_t i = 0; i < n; ++i)
    EXPECT_EQUAL (
        hugetext_ranking_take (&late, geo, text[i], HUGETEXT_HEAT_UNKNOWN),
        text[i] < 3 * geo->block * used / (4 * cap)
            ? HUGETEXT_KEPT_FREE
            : hugetext_ranking_take (&usual, geo, text[i],
                                     HUGETEXT_HEAT_UNKNOWN));
}

/* All shares of small caps, and what must hold whatever the numbers.  */
static void
late_blocks (void)
{
  static const struct hugetext_geometry geo
      = { .page = 4096, .block = 0x200000 };
  uintptr_t text[9];
  unsigned long int count = 0;

  for (size_t i = 0; i < 9; ++i)
    text[i] = i == 0 ? 1 : i * geo.block / 8;
  for (size_t cap = 1; cap <= 70; ++cap)
    for (size_t used = 0; used <= cap + 1; ++used, ++count)
      check_late (&geo, text, 9, used, cap);

  static struct hugetext_ranking ranking;
  hugetext_ranking_init (&ranking);
  /* In an empty process all may come; a full block may as long as there is
     one left; no cap keeps nothing free.  */
  hugetext_ranking_keep_free (&ranking, &geo, 0, 64);
  EXPECT_EQUAL (ranking.least, 0);
  hugetext_ranking_keep_free (&ranking, &geo, 64, 64);
  EXPECT_EQUAL (ranking.least, geo.block / 4 * 3);
  hugetext_ranking_keep_free (&ranking, &geo, 1000, SIZE_MAX);
  EXPECT_EQUAL (ranking.least, 0);
  hugetext_ranking_keep_free (&ranking, &geo, 0, 0);
  EXPECT_EQUAL (ranking.least, 0);
  group_done ("late blocks", count + 4);
}

int
main (void)
{
  /* Ranks of several bytes, of one page, of many pages, and of a block that
     has fewer bytes than there are ranks.  */
  static const struct hugetext_geometry geos[] = {
    { .page = 16, .block = 64 },
    { .page = 16, .block = HUGETEXT_RANKS },
    { .page = 16, .block = 2 * HUGETEXT_RANKS },
    { .page = 4096, .block = 0x200000 },
    { .page = 65536, .block = 0x20000000 },
  };
  static uintptr_t text[BLOCKS_MAX];
  uint64_t state = 1887;

  for (size_t g = 0; g < sizeof geos / sizeof geos[0]; ++g)
    {
      const struct hugetext_geometry *geo = &geos[g];
      uintptr_t block = geo->block;
      uintptr_t step = block / HUGETEXT_RANKS > 0 ? block / HUGETEXT_RANKS : 1;
      test_geo = geo;

      /* Single blocks: each rank and both sides of the border below it, which
         the neighbours above must beat and those below must not.  */
      for (uintptr_t full = step; full <= block; full += step)
        {
          uintptr_t pairs[][2] = {
            { full, full },
            { full - step + 1, full },
            { full, full - step + 1 },
            { full, full + 1 },
            { full + 1, full },
            { full, full - step },
          };
          for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i)
            if (pairs[i][0] > 0 && pairs[i][0] <= block && pairs[i][1] > 0
                && pairs[i][1] <= block)
              check_budgets (geo, pairs[i], 2);
        }
      check_budgets (geo, text, 0);
      uintptr_t over[] = { block, block + 1, block * 3, block - step, block };
      check_budgets (geo, over, 5);

      /* From all alike to all different.  */
      for (unsigned int round = 0; round < 200; ++round)
        {
          size_t n = next_random (&state) % (round % 8 == 0 ? BLOCKS_MAX : 24);
          uintptr_t spread = 1 + next_random (&state) % block;
          if (round % 4 < 2)
            spread = 1 + next_random (&state) % 4;
          for (size_t i = 0; i < n; ++i)
            {
              uintptr_t value = next_random (&state) % spread;
              /* Few values, but apart; full blocks; or the low ranks.  */
              if (round % 4 == 1)
                value *= block / 4;
              text[i] = round % 3 == 0 ? value + 1 : block - value;
            }
          check_budgets (geo, text, n);
        }
    }
  test_geo = NULL;
  group_done ("ranking", cuts);
  late_blocks ();
  return 0;
}
