/* The choice of blocks by samples of a running process: which to put on huge
   pages, and which to take back for them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The choice depends on its arguments alone
   (testsuite/unit/tst-choose-blocks.c).
 */

#ifndef CHOOSE_H
#define CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum choice
{
  CHOICE_KEEP, /* The block stays as it is.  */
  CHOICE_ADD,  /* It is to be put on a huge page.  */
  CHOICE_BACK, /* It is to be taken back to small pages.  */
};

struct choose_block
{
  uint32_t heat;      /* Its share of the samples, in 1/65535.  */
  bool huge;          /* It is on a huge page,  */
  bool movable;       /* from which it can be taken back.  */
  bool possible;      /* It can be put on one.  */
  enum choice choice; /* The result.  */
};

enum
{
  /* The share, in 1/65535, by which a block has to be hotter than another that
     gives it its place, or than nothing for a free place: one in 1024.  A
     change takes some milliseconds of a processor (a copy, and a stop).  If
     huge pages save one in 100 of the time in a block, such a block has that
     back after ten minutes of one busy processor.  */
  CHOOSE_LEAST = 64,
};

/* Whether a block of HEAT is worth the place of one of HEAT OTHER, by so many
   SAMPLES: it has more by CHOOSE_LEAST, and by three standard deviations of
   the difference of two counts (1.3 in 1000 by chance), so that equally hot
   blocks do not change places again and again.  */
extern bool choose_is_worth (uint32_t heat, uint32_t other, uint64_t samples);

/* Set the choices of the COUNT BLOCKS of a process that may have CAP on huge
   pages, by so many SAMPLES; with too few all stay as they are.  The hottest
   that are possible are added, to free places first, then to those of the
   coldest that can be taken back.  If there are more than CAP, the coldest of
   those are taken back.  */
extern void choose_blocks (struct choose_block blocks[], size_t count,
                           size_t cap, uint64_t samples);

#endif
