/* The programs of a service, or one program, that huge text is worth
   something to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CANDIDATES_H
#define CANDIDATES_H

#include "dependencies.h"
#include "program.h"
#include "unit.h"

/* Add to PROGRAMS the executables of UNIT's processes, and the one that it
   starts, that have as much text as fits into a huge page, their libraries
   included.  Returns NULL, or why there are none, in static memory.  */
extern const char *candidates_of_unit (const struct unit *unit,
                                       struct file_list *programs);

/* Fill in PROGRAM, and its canonical PATH, for the executable FILE.  Returns
   NULL, or why it cannot be enabled.  */
extern const char *candidates_check (const char *file,
                                     struct program *program,
                                     char path[static PATH_MAX]);

#endif
