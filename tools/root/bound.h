/* The copies of the loader that lie over the system's for services.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BOUND_H
#define BOUND_H

/* Where the one for the unit UNIT is while it runs, in static memory.  The
   folder is in systemd's own notation where UNIT is "%n".  */
extern const char *bound_file (const char *unit);

/* Put a copy of LOADER there, if it can take the place of the system's
   loader.  Returns NULL, or why it cannot, which is noted.  */
extern const char *bound_make (const char *unit, const char *loader);

/* Why there was none when UNIT was last started; NULL if that is not known.
   In static memory.  */
extern const char *bound_problem (const char *unit);

/* Remove it, the note, and what is then left of all this but the folder that
   comes with the installation.  */
extern void bound_remove (const char *unit);

#endif
