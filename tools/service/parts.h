/* Functions that the files of this room share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SERVICE_PARTS_H
#define SERVICE_PARTS_H

#include "host/unit.h"
#include "index/entry.h"
#include "object/program.h"
#include "service/service.h"
#include "trust/change.h"

/* apply.c: have the machine take notice of changed files.  */

/* Have systemd read its files again.  */
extern bool apply_units (struct problem *problem);

/* Have it restart UNIT, and see that it stays up.  */
extern bool apply_restart (const char *unit, struct problem *problem);

/* bound.c: the copies of the loader that lie over the system's.  */

/* Where the one for the unit UNIT is while it runs, in static memory.  The
   folder is in systemd's own notation where UNIT is "%n".  */
extern const char *bound_file (const char *unit);

/* Put a copy of LOADER there, if it can take the place of the system's
   loader; why it cannot is noted.  */
extern bool bound_make (const char *unit, const char *loader,
                        struct problem *problem);

/* Whether there was none when UNIT was last started, and PROBLEM says why.  */
extern bool bound_has_failed (const char *unit, struct problem *problem);

/* Remove it, the note, and what is then left of all this but the folder that
   comes with the installation.  */
extern void bound_remove (const char *unit);

/* eligible.c: the programs that huge text is worth something to.  */

/* Add to PROGRAMS the executables of UNIT's processes, and the one that it
   starts, that have as much text as fits into a huge page, their libraries
   included.  */
extern bool eligible_of_unit (const struct unit *unit,
                              struct file_list *programs,
                              struct problem *problem);

/* Fill in PROGRAM, and its canonical PATH, for the executable FILE.  False if
   it cannot be enabled.  */
extern bool eligible_check (const char *file, struct program *program,
                            char path[static PATH_MAX],
                            struct problem *problem);

/* dropin.c: the drop-in that binds the loader over the system's.  */

/* Its path for the unit ID, and that of the folder it is in.  In static
   memory.  */
extern const char *dropin_file (const char *id);
extern const char *dropin_folder (const char *id);

/* Its text for UNIT, with LOADER, or whichever there is when the
   service starts if that is NULL.  To be freed; NULL with PROBLEM set.  */
extern char *dropin_text (const struct unit *unit, const char *loader,
                          struct problem *problem);

/* The same for a static program of UNIT: all PROGRAMS are primed before it
   starts.  */
extern char *dropin_primed (const struct unit *unit,
                            const struct file_list *programs,
                            struct problem *problem);

/* Whether the file of that name was not written by this command.  */
extern bool dropin_is_foreign (const char *id);

/* The other file that is bound over the system's loader for UNIT; NULL if
   there is none. In static memory.  */
extern const char *dropin_rival (const struct unit *unit);

/* trial.c */

/* Whether the file LOADER can take the place of the system's loader, as far as
   that can be told without running it.  */
extern bool trial_fits (const char *loader, struct problem *problem);

#endif
