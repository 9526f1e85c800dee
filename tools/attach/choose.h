/* The choice of blocks by samples of a running process: which blocks to put
   on huge pages, and which to move back to small pages in exchange.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The results of these functions depend only on their arguments
   (testsuite/unit/tst-choose-blocks.c).  */

#ifndef CHOOSE_H
#define CHOOSE_H

#include "dl-hugetext-plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum choice
{
  CHOICE_KEEP, /* Leave the block on its present pages.  */
  CHOICE_ADD,  /* Put the block on a huge page.  */
  CHOICE_BACK, /* Move the block back to small pages.  */
};

struct choose_block
{
  uint32_t heat;      /* The block's share of the samples, in units of
                         1/65535.  */
  bool huge;          /* True if the block is on a huge page.  */
  bool movable;       /* True if the block can move back to small pages.  */
  bool possible;      /* True if the block can be put on a huge page.  */
  enum choice choice; /* The result: the change of the block.  */
};

enum
{
  /* The minimum difference of heat, in units of 1/65535, at which a block
     replaces another block on a huge page.  CHOOSE_LEAST is also the minimum
     heat at which a block gets an unused huge page, and at which the loader
     copies a block.  */
  CHOOSE_LEAST = HUGETEXT_HEAT_LEAST,
  /* The maximum heat of a cold block.  A block without samples has the heat
     0.  A block with only few samples, all from much earlier rounds, has the
     heat 1, because heats are rounded up.  */
  CHOOSE_COLD_MOST = 1,
};

/* Return true if a block of heat HEAT should replace a block of heat OTHER on
   a huge page.  SAMPLES is the number of all samples.  HEAT must be higher
   than OTHER by CHOOSE_LEAST, and also by three standard deviations of the
   difference between the two counts of samples.  (Chance alone causes this
   difference in 1.3 of 1000 cases.)  Without this minimum difference, equally
   hot blocks would replace each other again and again.  A block is cold if its
   heat is at most CHOOSE_COLD_MOST.  A cold block should also be replaced if
   the heat HEAT - CHOOSE_LEAST would be enough to get an unused huge page;
   subtracting CHOOSE_LEAST accounts for the cost of moving the cold block back
   to small pages.  */
extern bool choose_is_worth (uint32_t heat, uint32_t other, uint64_t samples);

/* Return how many blocks of a process may be huge if they are chosen by
   samples.  CAP is the cap, and SET says that the user has set it.  FILES
   blocks are on huge pages of their files now, and OTHERS blocks on other huge
   pages.  If the user has set no cap, the kernel maps blocks by huge pages of
   files as it does under the stock loader, so more blocks than CAP may be
   huge.  */
extern size_t choose_cap (size_t cap, bool set, size_t files, size_t others);

/* Choose for each of the COUNT BLOCKS of a process whether it moves to a huge
   page or back to small pages.  SAMPLES is the number of samples in all
   blocks.  The process may have at most CAP blocks on huge pages.  If there
   are too few samples, no block moves.  If there are enough samples, put
   blocks on huge pages until CAP blocks are huge, the hottest blocks first.
   After filling CAP, let the hottest remaining block replace the coldest huge
   block that can move back to small pages, as often as choose_is_worth returns
   true.  If more than CAP blocks are huge, move the coldest blocks back to
   small pages.  */
extern void choose_blocks (struct choose_block blocks[], size_t count,
                           size_t cap, uint64_t samples);

#endif
