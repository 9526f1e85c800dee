/* The index's records of a file: its image and its heat.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORED_H
#define STORED_H

#include "object/plan.h"

/* Whether the loader would use an image of OBJECT, whose file is open as FD;
   if so, set IMAGE to its record.  */
extern bool stored_image (int fd, const struct hugetext_object *object,
                          struct hugetext_index_image *image);

/* The index's heat of one object.  */
struct heat
{
  struct plan_heat plan;
  struct hugetext_index_heat record; /* The index's record, if PLAN has
                                        weights.  */
};

/* Set HEAT to the heat of OBJECT, whose file is open as FD, from the index
   FILE (NULL: the loader's index); most objects have none.  Without OBJECT,
   the function does not check that the heat belongs to the object in memory.
   The caller frees HEAT.  */
extern void heat_read (struct heat *heat, const char *file, int fd,
                       const struct hugetext_object *object);

extern void heat_free (struct heat *heat);

/* The heat of blocks of several objects, by link-time addresses.  */
struct heat_blocks
{
  uint32_t *heat; /* The heat of each block that has any, in 1/65535 of all
                     samples.  */
  size_t count;
};

/* Add the blocks of HEAT to BLOCKS.  */
extern void heat_add_blocks (struct heat_blocks *blocks,
                             const struct heat *heat);

/* Return the number of hot blocks among BLOCKS: the fewest blocks that have
   nine tenths of the total heat.  Free BLOCKS.  */
extern size_t heat_count_hot (struct heat_blocks *blocks);

#endif
