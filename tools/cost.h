/* What text that is not the file's own costs in memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COST_H
#define COST_H

#include "objtext.h"

/* As the kernel has it in smaps, bytes.  What is shared, by fork or as images
   are, counts in proportion where a "part" is meant (Pss).  */
struct cost
{
  size_t copies;      /* Memory in copies of text.  */
  size_t copies_part;
  size_t shareable;   /* Of COPIES_PART: what images in the store could be
                         instead; */
  size_t image;       /* they would have this size.  */
  size_t images;      /* Memory in images of the store, which all share.  */
  size_t images_part;
};

/* Set EACH to the costs of OBJECTS, which are process PID's.  False with errno
   set if that cannot be read.  */
extern bool cost_read (pid_t pid, const struct object_list *objects,
                       struct cost each[]);

extern void cost_add (struct cost *sum, const struct cost *cost);

/* What several processes cost together.  */
struct cost_total
{
  struct cost sum;
  size_t processes; /* With copies or images.  */
  size_t once;      /* Bytes of images that would do instead of all copies that
                       are shareable.  */
  struct cost_object *objects;
  size_t count;
};

/* Add OBJECTS of a process with the costs EACH.  */
extern void cost_count (struct cost_total *total,
                        const struct object_list *objects,
                        const struct cost each[]);

extern void cost_free (struct cost_total *total);

#endif
