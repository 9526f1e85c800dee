/* The memory that copies and images of text take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COST_H
#define COST_H

#include "text/objtext.h"

/* Costs in bytes, by the kernel's smaps.  Memory that is shared, by forks or
   as images are, counts in proportion (Pss).  */
struct cost
{
  size_t copies; /* Memory in copies of text.  */
  size_t images; /* Memory in images of the store.  */
};

/* Set COST to the cost of OBJECTS, which belong to process PID.  False if that
   cannot be read.  */
extern bool cost_read (pid_t pid, const struct object_list *objects,
                       struct cost *cost);

extern void cost_add (struct cost *sum, const struct cost *cost);

#endif
