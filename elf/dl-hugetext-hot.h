/* Policy of ld-hugetext: the heat of blocks, and what it is worth.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_HOT_H
#define _DL_HUGETEXT_HOT_H 1

#include "dl-hugetext-index.h"
#include "dl-hugetext-object.h"

/* The heat of a block that has all samples of its process.  */
#define HUGETEXT_HEAT_MAX 65535

/* The heat, in 1/65536, below which a block is not worth a place that a block
   of unknown heat might need more: 1 in 256.  */
#define HUGETEXT_HEAT_HOT 256

/* Return the heat of BLOCK of OBJECT by HEAT: 65535 if the block has all
   samples of the process, 0 if it has none.  */
extern uint32_t hugetext_block_heat (const struct hugetext_object *object,
                                     const struct hugetext_geometry *geo,
                                     const struct hugetext_heat *heat,
                                     uintptr_t block);

/* Return the value (dl-hugetext-plan.h) of a block with HEAT, which is known
   and not 0.  */
extern uint32_t hugetext_heat_value (uint32_t heat);

#endif /* dl-hugetext-hot.h */
