/* The heat of a file that the loader would know.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HEAT_H
#define HEAT_H

#include "object/plan.h"

#include <time.h>

/* The index's heat of one object.  */
struct heat
{
  struct plan_heat plan;
  struct hugetext_index_heat record; /* If PLAN has weights.  */
};

/* Set HEAT to what the index FILE, NULL for the one that the loader reads, has
   of OBJECT, whose file is open as FD: nothing, mostly.  Without OBJECT it has
   not been looked whether that is what is in memory.  To be freed.  */
extern void heat_read (struct heat *heat, const char *file, int fd,
                       const struct hugetext_object *object);

extern void heat_free (struct heat *heat);

/* How old HEAT's profile is, and of which build, in BUFFER.  */
extern const char *heat_text (const struct heat *heat,
                              char buffer[static 160]);

#endif
