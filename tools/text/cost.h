/* The memory that copies and images of text take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COST_H
#define COST_H

#include "object/settings.h"
#include "text/objtext.h"

/* Costs in bytes, by the kernel's smaps.  Memory that is shared, by forks or
   as images are, counts in proportion (Pss).  */
struct cost
{
  size_t copies; /* Memory in copies of text.  */
  size_t
      unfit;     /* Part of COPIES that stays if the files are cached in huge
                    pages, by the loader's policy: blocks that do not fit these. */
  size_t images; /* Memory in images of the store.  */
};

/* Set COST to the cost of OBJECTS, which belong to process PID with SETTINGS.
   False if that cannot be read.  */
extern bool cost_read (pid_t pid, const struct object_list *objects,
                       const struct settings *settings, struct cost *cost);

extern void cost_add (struct cost *sum, const struct cost *cost);

#endif
