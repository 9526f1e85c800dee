/* The drop-in that binds the loader over the system's for a service.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DROPIN_H
#define DROPIN_H

#include "dependencies.h"
#include "unit.h"

/* Its path for the unit ID, and that of the folder it is in.  In static
   memory.  */
extern const char *dropin_file (const char *id);
extern const char *dropin_folder (const char *id);

/* Its text for UNIT, with LOADER, or whichever there is when the
   service starts if that is NULL.  To be freed; NULL with *PROBLEM set.  */
extern char *dropin_text (const struct unit *unit, const char *loader,
                          const char **problem);

/* The same for a static program of UNIT: all PROGRAMS are primed before it
   starts.  */
extern char *dropin_primed (const struct unit *unit,
                            const struct file_list *programs,
                            const char **problem);

/* Whether the file of that name is somebody else's.  */
extern bool dropin_is_foreign (const char *id);

/* What else is bound over the system's loader for UNIT; NULL if nothing is.
   In static memory.  */
extern const char *dropin_rival (const struct unit *unit);

#endif
