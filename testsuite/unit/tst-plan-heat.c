/* Test the ranking, by heat and by text: it takes the same blocks within the
   cap as a comparison of all pairs of blocks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-placement.h"
#include "plan-test.h"

static struct hugetext_geometry geo = { .page = 4096, .block = 0x200000 };

struct one
{
  uintptr_t text;
  uint32_t heat;
};

/* The reference for the band of HEAT: hot, unknown, tepid or cold.  */
static int
reference_band (uint32_t heat)
{
  if (heat == HUGETEXT_HEAT_UNKNOWN)
    return 2;
  if (heat == 0)
    return 0;
  return heat * 256.0 / 65536 >= 1 ? 3 : 1;
}

/* The reference for the step of HEAT.  There are 32 steps between a power of
   two and the next one.  */
static uint32_t
reference_step (uint32_t heat)
{
  uint32_t power = 1;
  while (power * 2 <= heat)
    power *= 2;
  return power * 64 + (uint64_t) (heat - power) * 32 / power;
}

/* Whether A, which comes before B in the order of loading, must be taken
   before B.  */
static bool
beats (const struct one *a, const struct one *b)
{
  int x = reference_band (a->heat), y = reference_band (b->heat);
  if (x != y)
    return x > y;
  if (x % 2 != 0)
    return reference_step (a->heat) >= reference_step (b->heat);
  /* Text counts in steps of a 512th of a block, which is a page on x86-64.  A
     part of a step counts as a whole step.  */
  uintptr_t step = geo.block < 512 ? 1 : geo.block / 512;
  return (a->text + step - 1) / step >= (b->text + step - 1) / step;
}

/* Return how many of the N BLOCKS come before number I in the ranking.  Only
   blocks whose element of MAY is true count.  */
static size_t
better_than (const struct one *blocks, const bool *may, size_t n, size_t i)
{
  size_t better = 0;
  for (size_t k = 0; k < n; ++k)
    if (may[k] && k != i)
      better += (k < i ? beats (&blocks[k], &blocks[i])
                       : !beats (&blocks[i], &blocks[k]));
  return better;
}

static struct hugetext_ranking ranking;

static struct hugetext_candidate
candidate (const struct one *block)
{
  return (struct hugetext_candidate){ .text = block->text,
                                      .heat = block->heat };
}

/* Return the verdict on block I of the N BLOCKS with BUDGET and SHARE.  Only
   blocks with MAY are ranked.  */
static enum hugetext_reason
reference_verdict (const struct one *blocks, const bool *may, size_t n,
                   size_t i, size_t budget, size_t share)
{
  size_t hot = 0, total = 0;
  for (size_t k = 0; k < n; ++k)
    {
      total += may[k];
      hot += may[k] && reference_band (blocks[k].heat) == 3;
    }
  const size_t better = better_than (blocks, may, n, i);
  if (!may[i])
    return blocks[i].heat == 0 ? HUGETEXT_COLD : HUGETEXT_KEPT_FREE;
  if (total <= budget || (better < budget && better < hot)
      || (better < budget && better < hot + share))
    return HUGETEXT_TAKE;
  return (hot + share < budget && reference_band (blocks[i].heat) < 3
              ? HUGETEXT_KEPT_FREE
              : HUGETEXT_OVER_CAP);
}

/* Check all budgets for the N BLOCKS, each of which belongs to another object.
   The blocks belong to libraries that are opened late, when USED of CAP blocks
   are in use.  */
static void
check (const struct one *blocks, size_t n, size_t used, size_t cap)
{
  bool may[16];
  size_t total = 0;
  const size_t left = cap > used ? cap - used : 0, share = left - left / 8;
  for (size_t i = 0; i < n; ++i)
    {
      may[i] = (reference_band (blocks[i].heat) == 3
                || (blocks[i].heat != 0
                    && blocks[i].text >= 3 * geo.block * used / (4 * cap)));
      total += may[i];
    }
  for (size_t budget = 0; budget <= left; ++budget)
    {
      size_t taken = 0;
      hugetext_ranking_init (&ranking);
      ranking.late = true;
      hugetext_ranking_keep_free (&ranking, &geo, used, cap);
      for (size_t i = 0; i < n; ++i)
        {
          const struct hugetext_candidate block = candidate (&blocks[i]);
          hugetext_ranking_next_object (&ranking);
          hugetext_ranking_add (&ranking, &geo, &block);
        }
      EXPECT_EQUAL (ranking.total, total);
      hugetext_ranking_cut (&ranking, budget);
      for (size_t i = 0; i < n; ++i)
        {
          const struct hugetext_candidate block = candidate (&blocks[i]);
          hugetext_ranking_next_object (&ranking);
          enum hugetext_reason verdict
              = hugetext_ranking_take (&ranking, &geo, &block);
          EXPECT_EQUAL (verdict,
                        reference_verdict (blocks, may, n, i, budget, share));
          taken += verdict == HUGETEXT_TAKE;
        }
      EXPECT (taken <= budget);
      /* Hot blocks use the whole budget.  */
      EXPECT (taken == total || taken == budget
              || (taken < budget && taken >= share));
    }
}

/* Test every process that has up to four blocks, with every kind of block.  */
static void
all_small (void)
{
  static const struct one kinds[] = { { 0x200000, HUGETEXT_HEAT_UNKNOWN },
                                      { 0x1ff001, HUGETEXT_HEAT_UNKNOWN },
                                      { 0x1000, HUGETEXT_HEAT_UNKNOWN },
                                      { 0x200000, 0 },
                                      { 0x10000, 0 },
                                      { 0x1000, 1 },
                                      { 0x200000, 255 },
                                      { 0x8000, 256 },
                                      { 0x200000, 256 },
                                      { 0x4000, 257 },
                                      { 0x4000, 30000 },
                                      { 1, 65535 } };
  const size_t nkinds = sizeof kinds / sizeof kinds[0];
  unsigned long int count = 0;
  for (size_t n = 0; n <= 4; ++n)
    {
      size_t cases = 1;
      for (size_t i = 0; i < n; ++i)
        cases *= nkinds;
      for (size_t which = 0; which < cases; ++which, ++count)
        {
          struct one blocks[4];
          size_t rest = which;
          for (size_t i = 0; i < n; ++i, rest /= nkinds)
            blocks[i] = kinds[rest % nkinds];
          check (blocks, n, 0, 5);
          check (blocks, n, 2, 6);
          check (blocks, n, 4, 4);
        }
    }
  group_done ("all small processes", count);
}

/* Test blocks of all sizes, with random heat, in random order.  */
static void
random_ones (void)
{
  static const struct hugetext_geometry geos[]
      = { { .page = 4096, .block = 0x200000 },
          { .page = 16, .block = 64 },
          { .page = 16, .block = 1024 },
          { .page = 65536, .block = 0x20000000 } };
  uint64_t state = 16;
  for (unsigned int round = 0; round < 4000; ++round)
    {
      geo = geos[round % 4];
      struct one blocks[16];
      size_t n = next_random (&state) % 17;
      uint64_t spread = 1 + next_random (&state) % 65536;
      for (size_t i = 0; i < n; ++i)
        {
          blocks[i].text = 1 + next_random (&state) % geo.block;
          blocks[i].heat = (next_random (&state) % 4 == 0
                                ? HUGETEXT_HEAT_UNKNOWN
                                : next_random (&state) % spread);
        }
      check (blocks, n, next_random (&state) % 9, 16);
    }
  geo = geos[0];
  group_done ("random processes", 4000);
}

/* The rank ascends with the heat, and no rank is beyond the table.  */
static void
all_heats (void)
{
  for (uint32_t heat = 1; heat < HUGETEXT_HEAT_MAX; ++heat)
    {
      struct one pair[2] = { { 0x1000, heat }, { 0x1000, heat + 1 } };
      check (pair, 2, 0, 3);
    }
  group_done ("all heats", HUGETEXT_HEAT_MAX - 1);
}

/* In a process without huge pages, all blocks may be taken.  A full block may
   be taken as long as the cap allows one more block.  Without a cap, nothing
   is kept free.  */
static void
kept_free (void)
{
  static const struct
  {
    size_t used, cap;
    uintptr_t least;
    size_t share;
  } cases[]
      = { { 0, 64, 0, 56 },
          { 64, 64, 0x180000, 0 },
          { 61, 64, 0x16e000, 3 },
          { 0, 0, 0, 0 },
          { 1000, SIZE_MAX, 0, SIZE_MAX - 1000 - (SIZE_MAX - 1000) / 8 } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
      hugetext_ranking_keep_free (&ranking, &geo, cases[i].used, cases[i].cap);
      EXPECT_EQUAL (ranking.least, cases[i].least);
      EXPECT_EQUAL (ranking.share, cases[i].share);
    }
  group_done ("places kept free", 4);
}

/* The heat of a block is the sum of the heat of its granules, wherever the
   block begins.  */
static void
block_heat (void)
{
  static uint16_t weight[300];
  struct hugetext_object object = { .bias = 0 };
  struct hugetext_heat heat = { .weight = weight };
  unsigned long int count = 0;
  uint64_t state = 5;
  for (unsigned int round = 0; round < 400; ++round)
    {
      heat.granules = next_random (&state) % 300;
      heat.first = next_random (&state) % 100 * HUGETEXT_GRANULE;
      object.bias = (0x40000000 + next_random (&state) % 2000 * geo.page);
      for (size_t i = 0; i < 300; ++i)
        weight[i] = next_random (&state) % (round % 3 == 0 ? 2 : 900);
      for (uintptr_t block = 0x3fe00000; block < 0x42000000;
           block += geo.block, ++count)
        {
          /* Count page by page.  In each granule, a page that is only begun
             counts as well.  */
          uint32_t sum = 0;
          for (size_t i = 0; i < heat.granules; ++i)
            {
              uintptr_t pages = 0;
              for (uintptr_t at = 0; at < HUGETEXT_GRANULE; at += geo.page)
                {
                  uintptr_t page
                      = (heat.first + object.bias + i * HUGETEXT_GRANULE + at);
                  pages += page >= block && page < block + geo.block;
                }
              sum += (weight[i] * pages + 15) / 16;
            }
          EXPECT_EQUAL (hugetext_block_heat (&object, &geo, &heat, block),
                        sum < HUGETEXT_HEAT_MAX ? sum : HUGETEXT_HEAT_MAX);
        }
    }

  /* The heat of a block is at most HUGETEXT_HEAT_MAX, even if the granules
     have more.  The heat is 0 if there are no granules, and unknown if there
     are no weights.  A wrong first granule does no harm.  */
  for (size_t i = 0; i < 300; ++i)
    weight[i] = 65535;
  object.bias = 0x40000000;
  heat = (struct hugetext_heat){ .first = 0,
                                 .granules = 300,
                                 .weight = weight };
  EXPECT_EQUAL (hugetext_block_heat (&object, &geo, &heat, 0x40000000),
                HUGETEXT_HEAT_MAX);
  for (uint64_t back = 1; back < 400; ++back)
    {
      heat.first = -back * HUGETEXT_GRANULE;
      hugetext_block_heat (&object, &geo, &heat, 0x40000000);
      hugetext_block_heat (&object, &geo, &heat, 0x3fe00000);
    }
  heat.granules = 0;
  EXPECT_EQUAL (hugetext_block_heat (&object, &geo, &heat, 0x40000000), 0);
  heat.weight = NULL;
  EXPECT_EQUAL (hugetext_block_heat (&object, &geo, &heat, 0x40000000),
                HUGETEXT_HEAT_UNKNOWN);
  group_done ("heat of blocks", count);
}

/* An object with headers, TEXT bytes of text, and data behind them.  */
static void
describe (struct hugetext_object *object, uintptr_t text)
{
  *object = (struct hugetext_object){
    .nsegments = 3,
    .align = geo.page,
    .segment
    = { { .end = 0x7000, .fileend = 0x7000, .dataend = 0x7000, .read = true },
        { .start = 0x7000,
          .end = 0x7000 + text,
          .fileend = 0x7000 + text,
          .datastart = 0x7000,
          .dataend = 0x7000 + text,
          .offset = 0x7000,
          .read = true,
          .exec = true },
        { .start = 0x9000 + text,
          .end = 0xf000 + text,
          .fileend = 0xf000 + text,
          .datastart = 0x9000 + text,
          .dataend = 0xf000 + text,
          .offset = 0x8000 + text,
          .read = true,
          .write = true } }
  };
}

/* Return the sum of the squares of the blocks' heat at RESIDUE.  */
static uint64_t
concentrated (struct hugetext_object *object, const struct hugetext_heat *heat,
              uintptr_t residue)
{
  uint64_t sum = 0;
  object->bias = geo.block + residue;
  object->low = 0;
  object->high = UINTPTR_MAX;
  for (uintptr_t block = 0; block < 0x3000000; block += geo.block)
    if (hugetext_block_judge (object, &geo, 65536, block).verdict
        == HUGETEXT_TAKE)
      {
        uint64_t hot = hugetext_block_heat (object, &geo, heat, block);
        sum += hot * hot;
      }
  return sum;
}

/* The placement concentrates heat in few blocks if it can, and only if the
   gain is large enough.  */
static void
placement (void)
{
  static uint16_t weight[600];
  struct hugetext_object object;
  struct hugetext_heat heat = { .granules = 500, .weight = weight };
  unsigned int moved = 0;
  uint64_t state = 11;
  struct hugetext_site site = {
    .object = &object, .geo = &geo, .pad_threshold = 65536, .heat = heat
  };
  for (unsigned int round = 0; round < 300; ++round)
    {
      struct hugetext_placement usual, ours;
      struct hugetext_place_room room;
      describe (&object, (1 + next_random (&state) % 7000) * geo.page);
      memset (weight, 0, sizeof weight);
      for (unsigned int i = next_random (&state) % 40; i > 0; --i)
        weight[next_random (&state) % 500] = next_random (&state) % 3000;
      site.heat = heat;
      if (!hugetext_place (&site, &room, &usual))
        continue;
      ours = usual;
      hugetext_place_by_heat (&site, &ours);
      EXPECT_EQUAL (object.bias, 0);
      uint64_t before = concentrated (&object, &heat, usual.residue), best = 0;
      uint64_t after = concentrated (&object, &heat, ours.residue);
      for (uintptr_t at = 0; at < geo.block; at += HUGETEXT_GRANULE)
        if (concentrated (&object, &heat, at) > best)
          best = concentrated (&object, &heat, at);
      if (ours.residue == usual.residue)
        EXPECT (usual.blocks < 2 || best <= before + before / 16);
      else
        {
          EXPECT_EQUAL (after, best);
          EXPECT (after > before + before / 16);
          EXPECT_EQUAL (after, ours.heat);
          EXPECT (ours.blocks > 0);
          ++moved;
        }
      /* Without heat the placement does not change.  */
      site.heat.weight = NULL;
      ours = usual;
      hugetext_place_by_heat (&site, &ours);
      EXPECT (memcmp (&ours, &usual, sizeof ours) == 0);
    }
  EXPECT (moved > 20);
  group_done ("placement", 300);
}

/* Test programs that have too little text to gain from huge pages.  */
static void
small_programs (void)
{
  static const struct hugetext_geometry large = { 0x4000, 0x2000000 };
  EXPECT (hugetext_is_small (&geo, 0, false));
  EXPECT (hugetext_is_small (&geo, 0x1fffff, false));
  EXPECT (!hugetext_is_small (&geo, 0x200000, false));
  EXPECT (hugetext_is_small (&large, 0x7fffff, false));
  EXPECT (!hugetext_is_small (&large, 0x800000, false));
  EXPECT (!hugetext_is_small (&geo, 0, true));

  /* Test which settings ask for huge pages in a small program: all
     combinations.  */
  static const uint32_t mode = 1u << HUGETEXT_KEY_MODE,
                        max = 1u << HUGETEXT_KEY_MAX;
  static const struct
  {
    uint32_t index, tunable;
    bool unnamed, named; /* Whether the settings ask for huge pages in a
                            program.  */
  } wishes[] = { { 0, 0, false, false },
                 { 0, mode, false, false },
                 { 0, max, true, true },
                 { 0, mode | max, true, true },
                 { mode, 0, false, true },
                 { max, 0, false, true },
                 { mode | max, 0, false, true },
                 { mode, mode, false, true },
                 { max, mode, false, true },
                 { mode | max, mode, false, true },
                 { mode, max, true, true },
                 { max, max, true, true },
                 { mode | max, mode | max, true, true } };
  for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; ++i)
    {
      EXPECT (hugetext_is_asked (wishes[i].index, false, wishes[i].tunable)
              == wishes[i].unnamed);
      EXPECT (hugetext_is_asked (wishes[i].index, true, wishes[i].tunable)
              == wishes[i].named);
    }

  /* The first ranking takes none of the blocks, the next one takes them.  */
  hugetext_ranking_init (&ranking);
  ranking.small = true;
  const struct hugetext_candidate some
      = { .text = 0x180000, .heat = HUGETEXT_HEAT_UNKNOWN };
  EXPECT_EQUAL (hugetext_ranking_take (&ranking, &geo, &some),
                HUGETEXT_SMALL_PROGRAM);
  hugetext_ranking_init (&ranking);
  EXPECT_EQUAL (hugetext_ranking_take (&ranking, &geo, &some), HUGETEXT_TAKE);

  /* A library that a small program opens needs text for half a block, or
     heat.  */
  static const struct
  {
    uintptr_t text;
    uint32_t heat;
    bool taken;
  } late[] = { { 0xfffff, HUGETEXT_HEAT_UNKNOWN, false },
               { 0x100000, HUGETEXT_HEAT_UNKNOWN, true },
               { 0x10000, HUGETEXT_HEAT_MAX, true },
               { 0x10000, 0, false } };
  for (size_t i = 0; i < sizeof late / sizeof late[0]; ++i)
    {
      hugetext_ranking_init (&ranking);
      hugetext_ranking_require (&ranking, hugetext_late_text (&geo));
      const struct hugetext_candidate block
          = { .text = late[i].text, .heat = late[i].heat };
      hugetext_ranking_add (&ranking, &geo, &block);
      EXPECT_EQUAL (ranking.total, late[i].taken ? 1 : 0);
      EXPECT_EQUAL (hugetext_ranking_take (&ranking, &geo, &block),
                    late[i].taken ? HUGETEXT_TAKE : HUGETEXT_SMALL_PROGRAM);
    }
  hugetext_ranking_init (&ranking);
  EXPECT_EQUAL (ranking.required, 0);
  group_done ("small programs", 6);
}

/* If the page cache does not hold a chosen block, the next block in the
   ranking is chosen instead, and no other block.  */
static void
returned_places (void)
{
  const struct hugetext_candidate block
      = { .text = geo.block, .heat = HUGETEXT_HEAT_UNKNOWN };
  for (size_t budget = 1; budget < 4; ++budget)
    for (size_t n = 1; n <= budget; ++n)
      {
        size_t taken = 0;
        hugetext_ranking_init (&ranking);
        for (size_t k = 0; k < 8; ++k)
          hugetext_ranking_add (&ranking, &geo, &block);
        hugetext_ranking_cut (&ranking, budget);
        hugetext_ranking_next_object (&ranking);
        for (size_t k = 0; k < budget; ++k)
          EXPECT_EQUAL (hugetext_ranking_take (&ranking, &geo, &block),
                        HUGETEXT_TAKE);
        EXPECT_EQUAL (hugetext_ranking_take (&ranking, &geo, &block),
                      HUGETEXT_OVER_CAP);
        EXPECT (!hugetext_ranking_reuse (&ranking));
        hugetext_ranking_return (&ranking, n);
        EXPECT (hugetext_ranking_reuse (&ranking));
        for (size_t k = budget + 1; k < 8; ++k)
          taken += (hugetext_ranking_take (&ranking, &geo, &block)
                    == HUGETEXT_TAKE);
        EXPECT_EQUAL (taken, n - 1);
      }
  /* Without a limit, there is nothing to return, and nothing overflows.  */
  hugetext_ranking_init (&ranking);
  hugetext_ranking_return (&ranking, 1);
  EXPECT_EQUAL (hugetext_ranking_take (&ranking, &geo, &block), HUGETEXT_TAKE);
  group_done ("returned places", 7);
}

/* Test copies for a library that the program opens with dlopen.  The loader
   copies a block only if it has enough text.  The more blocks of the process
   are huge without memory of their own, the more text is needed, up to a full
   block.  If the heat is known, the heat decides, and not the amount of
   text.  */
static void
copies_of_little_text (void)
{
  static const struct
  {
    size_t nfree;
    uintptr_t text;
    uint32_t heat;
    bool little;
  } cases[] = { { 0, 1, HUGETEXT_HEAT_UNKNOWN, false },
                { 1, 0x1ffff, HUGETEXT_HEAT_UNKNOWN, true },
                { 1, 0x20000, HUGETEXT_HEAT_UNKNOWN, false },
                { 8, 0xfffff, HUGETEXT_HEAT_UNKNOWN, true },
                { 8, 0x100000, HUGETEXT_HEAT_UNKNOWN, false },
                { 16, 0x1fffff, HUGETEXT_HEAT_UNKNOWN, true },
                { 16, 0x200000, HUGETEXT_HEAT_UNKNOWN, false },
                { 1000, 0x1fffff, HUGETEXT_HEAT_UNKNOWN, true },
                { 1000, 0x200000, HUGETEXT_HEAT_UNKNOWN, false },
                { SIZE_MAX, 0x200000, HUGETEXT_HEAT_UNKNOWN, false },
                { 1000, 1, HUGETEXT_HEAT_LEAST, false },
                { 1000, 1, 0, false } };
  const size_t n = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < n; ++i)
    EXPECT_EQUAL (
        hugetext_is_little (cases[i].text, cases[i].heat,
                            hugetext_copy_text (&geo, cases[i].nfree)),
        cases[i].little);
  group_done ("copies of little text", n);
}

/* A new index that is installed between the two passes changes the heat of
   blocks.  Even if the heat changes, the policy never takes more blocks than
   the budget allows.  */
static void
changed_heat (void)
{
  static const uint32_t heats[]
      = { 0, 1, HUGETEXT_HEAT_HOT, HUGETEXT_HEAT_MAX, HUGETEXT_HEAT_UNKNOWN };
  const size_t n = sizeof heats / sizeof heats[0], blocks = 8;
  for (size_t i = 0; i < n * n * (blocks + 2); ++i)
    {
      const size_t budget = i / n / n;
      size_t taken = 0;
      struct hugetext_candidate block
          = { .text = geo.block, .heat = heats[i % n] };
      hugetext_ranking_init (&ranking);
      for (size_t k = 0; k < blocks; ++k)
        hugetext_ranking_add (&ranking, &geo, &block);
      hugetext_ranking_cut (&ranking, budget);
      hugetext_ranking_next_object (&ranking);
      block.heat = heats[i / n % n];
      for (size_t k = 0; k < blocks; ++k)
        taken += (hugetext_ranking_take (&ranking, &geo, &block)
                  == HUGETEXT_TAKE);
      EXPECT (taken <= budget);
    }
  group_done ("changed heat", n * n * (blocks + 2));
}

/* A library's heat counts only beside a program of known heat, or beside a
   program without blocks.  The heat of the program itself always counts.  */
static void
foreign_heat (void)
{
  static const struct
  {
    bool program, has_blocks, profiled, counts;
  } rows[] = {
    { false, false, false, true }, { false, false, true, true },
    { false, true, false, false }, { false, true, true, true },
    { true, false, false, true },  { true, false, true, true },
    { true, true, false, true },   { true, true, true, true },
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    EXPECT (hugetext_heat_counts (rows[i].program, rows[i].has_blocks,
                                  rows[i].profiled)
            == rows[i].counts);
  group_done ("a library's heat beside the program's heat",
              sizeof rows / sizeof rows[0]);
}

int
main (void)
{
  foreign_heat ();
  returned_places ();
  copies_of_little_text ();
  changed_heat ();
  small_programs ();
  all_small ();
  random_ones ();
  all_heats ();
  kept_free ();
  block_heat ();
  placement ();
  return 0;
}
