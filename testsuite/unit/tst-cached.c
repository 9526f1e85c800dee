/* Tests of the policy for a block in the page cache, for all cases.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-cached.h"
#include "plan-test.h"

#include <string.h>

/* The facts about the block and the step that follows.  The facts are huge,
   cut, spare, dirty, renewed and collapses; '-' means that a fact may be true
   or false.  The first row that matches counts.  */
static const struct
{
  char known[7];
  enum hugetext_cache_step step;
} rows[] = {
  { "1-----", HUGETEXT_CACHE_DONE },
  { "-1----", HUGETEXT_CACHE_LEAVE },
  /* The policy never evicts a block that others use, that the kernel cannot
     evict, or that has been read again without success.  */
  { "--100-", HUGETEXT_CACHE_READ },
  { "-----1", HUGETEXT_CACHE_COLLAPSE },
  { "------", HUGETEXT_CACHE_LEAVE },
};

static bool
fits (const char *known, unsigned int input)
{
  for (size_t i = 0; i < 6; ++i)
    if (known[i] != '-' && (known[i] == '1') != ((input >> i & 1) != 0))
      return false;
  return true;
}

int
main (void)
{
  for (unsigned int input = 0; input < 64; ++input)
    {
      const struct hugetext_cached block = { .huge = (input & 1) != 0,
                                             .cut = (input & 2) != 0,
                                             .spare = (input & 4) != 0,
                                             .dirty = (input & 8) != 0,
                                             .renewed = (input & 16) != 0,
                                             .collapses = (input & 32) != 0 };
      size_t row = 0;
      while (!fits (rows[row].known, input))
        ++row;
      EXPECT_EQUAL (hugetext_cache_step (block), rows[row].step);
    }
  group_done ("the next step for a block of the page cache", 64);
  return 0;
}
