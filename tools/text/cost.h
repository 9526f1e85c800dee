/* The memory that the copies and images of text use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COST_H
#define COST_H

#include "object/settings.h"
#include "text/objtext.h"

/* Costs in bytes, from smaps.  If several processes share memory (because of
   fork, or because they map the same images), the cost of each process
   includes its proportion of the shared memory (Pss).  */
struct cost
{
  size_t copies; /* Memory in copies of text.  */
  size_t unfit;  /* The part of COPIES for which huge pages of files cannot be
                    used, because the address of the block and its file offset
                    are not congruent.  */
  size_t images; /* Memory of mapped images from the store.  */
};

/* Set COST to the cost of OBJECTS in process PID, which has SETTINGS.  Return
   false if the cost cannot be read.  */
extern bool cost_read (pid_t pid, const struct object_list *objects,
                       const struct settings *settings, struct cost *cost);

extern void cost_add (struct cost *sum, const struct cost *cost);

#endif
