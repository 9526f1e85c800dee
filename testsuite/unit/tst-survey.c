/* Test what is made of samples: which of them miss in simulated TLBs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#include "../../tools/survey-tlb.c"

enum
{
  BLOCK = 2 << 20,
  PAGE = 4096,
  COUNT = 10000,
};

static survey_page list[COUNT];

static struct survey_misses
simulate (size_t count, size_t small, size_t huge)
{
  struct survey_misses misses;
  EXPECT (survey_simulate (list, count, small, huge, BLOCK, &misses));
  return misses;
}

static bool
is_near (double a, double b)
{
  return a - b < 1e-9 && b - a < 1e-9;
}

int
main (void)
{
  /* Nothing.  */
  struct survey_misses misses = simulate (0, 64, 64);
  EXPECT (misses.pages == 0 && misses.small == 0 && misses.code == 0);

  /* Pages in turn, from address 0 on.  */
  for (size_t pages = 1; pages < 300; pages++)
    {
      for (size_t i = 0; i < COUNT; i++)
        list[i] = survey_page_of (1, i % pages * PAGE);
      misses = simulate (COUNT, 64, 64);
      EXPECT_EQUAL (misses.pages, pages);
      /* What fits misses once; what does not, always: exact LRU.  */
      EXPECT (is_near (misses.small,
                       pages <= 64 ? (double)pages / COUNT : 1));
      EXPECT (is_near (misses.huge, 1.0 / COUNT));
      EXPECT (is_near (misses.code, misses.huge));
      EXPECT (misses.hot * 10 + 10 >= pages * 9 && misses.hot <= pages);
    }

  /* Code made at run time stays as it is, unless that is meant to be huge.  */
  for (size_t i = 0; i < COUNT; i++)
    list[i] = survey_page_made (4194303, 0x7ffff7000000 + i % 100 * PAGE);
  misses = simulate (COUNT, 64, 64);
  EXPECT (is_near (misses.small, 1) && is_near (misses.huge, 1));
  EXPECT (is_near (misses.code, 1.0 / COUNT));

  /* More blocks than there may be: those with most samples are huge.  Three of
     four samples are in block 0, the others in 99 blocks of their own.  */
  for (size_t i = 0; i < COUNT; i++)
    list[i] = survey_page_of (
        2, i % 4 != 0 ? i % 4 * PAGE : (1 + i / 4 % 99) * (size_t)BLOCK);
  misses = simulate (COUNT, 1, 1);
  EXPECT (is_near (misses.huge, 0.25 + 1.0 / COUNT));

  /* Two objects, and two processes, have nothing in common.  */
  EXPECT (survey_page_of (1, PAGE) != survey_page_of (2, PAGE));
  EXPECT (survey_page_made (1, PAGE) != survey_page_of (1, PAGE));
  EXPECT (survey_page_made (1, PAGE) != survey_page_made (2, PAGE));
  EXPECT (survey_page_of (1, PAGE) == survey_page_of (1, PAGE + 1));
  printf ("ok samples in TLBs: 306 cases\n");
  return 0;
}
