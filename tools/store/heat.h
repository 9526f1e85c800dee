/* The heat of a file that the loader would know.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HEAT_H
#define HEAT_H

#include "object/plan.h"

/* The index's heat of one object.  */
struct heat
{
  struct plan_heat plan;
  struct hugetext_index_heat record; /* The index's record, if PLAN has
                                        weights.  */
};

/* Set HEAT to the heat of OBJECT, whose file is open as FD, in the index FILE,
   NULL for the loader's; most objects have none.  Without OBJECT, the function
   does not check that the heat is of the object in memory.  The caller frees
   HEAT.  */
extern void heat_read (struct heat *heat, const char *file, int fd,
                       const struct hugetext_object *object);

extern void heat_free (struct heat *heat);

#endif
