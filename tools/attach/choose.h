/* The choice of blocks by samples of a running process: which to put on huge
   pages, and which to move back for them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The choice depends on its arguments alone
   (testsuite/unit/tst-choose-blocks.c).  */

#ifndef CHOOSE_H
#define CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum choice
{
  CHOICE_KEEP, /* Do not move the block.  */
  CHOICE_ADD,  /* Put it on a huge page.  */
  CHOICE_BACK, /* Move it back to small pages.  */
};

struct choose_block
{
  uint32_t heat;      /* Its share of the samples, in 1/65535.  */
  bool huge;          /* It is on a huge page.  */
  bool movable;       /* It can move back to small pages.  */
  bool possible;      /* It can be put on a huge page.  */
  enum choice choice; /* The result.  */
};

enum
{
  /* The least difference in heat, in 1/65535, for which a block takes
     another's place, and the least heat for a free place: one in 1024.  A
     change costs some milliseconds of a processor (a copy, and a stop).  If
     huge pages save 1 % of the time in a block, such a block earns that back
     after ten minutes of one busy processor.  */
  CHOOSE_LEAST = 64,
};

/* Whether a block of HEAT deserves the place of one of heat OTHER, given
   SAMPLES: its heat must be higher by CHOOSE_LEAST, and by three standard
   deviations of the difference of two counts (1.3 in 1000 by chance), so that
   equally hot blocks do not change places again and again.  */
extern bool choose_is_worth (uint32_t heat, uint32_t other, uint64_t samples);

/* Set the choices of the COUNT BLOCKS of a process that may have CAP on huge
   pages, given SAMPLES; with too few samples no block moves.  The hottest
   blocks that are possible are added, first in free places, then in those of
   the coldest blocks that can move back.  If more than CAP are huge, the
   coldest of those that can move back do.  */
extern void choose_blocks (struct choose_block blocks[], size_t count,
                           size_t cap, uint64_t samples);

#endif
