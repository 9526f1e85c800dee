/* Tests of what is done about a block in the page cache, for all cases.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-cached.h"
#include "plan-test.h"

#include <string.h>

/* A step, and what is known of the block: huge, cut, spare, dirty, renewed,
   collapses; '-' for either.  The first row that fits counts.  */
static const struct
{
  char known[7];
  enum hugetext_cache_step step;
} rows[] = {
  { "1-----", HUGETEXT_CACHE_DONE },
  { "-1----", HUGETEXT_CACHE_LEAVE },
  /* What others use, what dropping would not drop, and what has been read
     again in vain is never dropped.  */
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
  group_done ("what is done about a block in the page cache", 64);
  return 0;
}
