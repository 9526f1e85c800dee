/* The memory that copies and images of text take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COST_H
#define COST_H

#include "text/objtext.h"

/* As the kernel has it in smaps, bytes.  What is shared, by fork or as images
   are, counts in proportion where a "part" is meant (Pss).  */
struct cost
{
  size_t copies; /* Memory in copies of text.  */
  size_t copies_part;
  size_t shareable; /* Of COPIES_PART: what images in the store could be
                       instead.  */
  size_t images;    /* Memory in images of the store, which all share.  */
  size_t images_part;
};

/* Set EACH to the costs of OBJECTS, which are process PID's.  False with errno
   set if that cannot be read.  */
extern bool cost_read (pid_t pid, const struct object_list *objects,
                       struct cost each[]);

extern void cost_add (struct cost *sum, const struct cost *cost);

#endif
