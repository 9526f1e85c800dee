/* Look up a file in the index: its image and its heat.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORED_H
#define STORED_H

#include "object/plan.h"

/* Return true if the loader would use an image of OBJECT, whose file is FD.
   If the function returns true, it sets IMAGE to the record of the image in
   the index.  */
extern bool stored_image (int fd, const struct hugetext_object *object,
                          struct hugetext_index_image *image);

/* The heat of one object, from the index.  */
struct heat
{
  struct plan_heat plan;
  struct hugetext_index_heat record; /* The record of the heat in the index, if
                                        PLAN contains weights.  */
};

/* Set HEAT to the heat of the file FD, from the index FILE.  If FILE is NULL,
   use the index of the loader.  The index has no heat for most objects.
   Check that the heat belongs to OBJECT, the description of the file as it is
   now, unless OBJECT is NULL.  The caller frees HEAT.  */
extern void heat_read (struct heat *heat, const char *file, int fd,
                       const struct hugetext_object *object);

extern void heat_free (struct heat *heat);

/* The heat of blocks of several objects.  Blocks are at link-time
   addresses.  */
struct heat_blocks
{
  uint32_t *heat; /* The heat of each block that has heat, in 1/65535 of all
                     samples.  */
  size_t count;
};

/* Add the blocks of HEAT to BLOCKS.  */
extern void heat_add_blocks (struct heat_blocks *blocks,
                             const struct heat *heat);

/* Return how many of BLOCKS are hot: the smallest number of blocks that
   together have nine tenths of the heat.  Free BLOCKS.  */
extern size_t heat_count_hot (struct heat_blocks *blocks);

#endif
