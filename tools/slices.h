/* What processes that run use, in slices of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SLICES_H
#define SLICES_H

#include "counters.h"
#include "quantity.h"

#include <sys/types.h>

/* Finds the processes again, as chosen_processes does.  */
typedef const char *slices_find (void *closure, pid_t **list, size_t *count);

/* Measure the processes that FIND finds with CLOSURE for COUNT slices of a
   second: VALUES of each are by the second, but those that are by the
   instruction, and memory.  Events of SET are counted of those that there are
   at the beginning, and what they start.  Returns NULL, or why nothing could
   be measured.  *NPROCESSES is how many there were in the end.  */
extern const char *slices_take (slices_find *find, void *closure,
                                const struct counter_set *set, size_t count,
                                struct run_values values[],
                                size_t *nprocesses);

#endif
