/* The functions that the files of this room share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SERVICE_PARTS_H
#define SERVICE_PARTS_H

#include "host/unit.h"
#include "index/entry.h"
#include "object/program.h"
#include "service/service.h"
#include "trust/change.h"

/* apply.c: the application of changed files.  */

/* Have systemd read its files again.  */
extern bool apply_units (struct problem *problem);

/* Have systemd restart UNIT, and check that it stays up.  */
extern bool apply_restart (const char *unit, struct problem *problem);

/* bound.c: the copies of the loader that are bound over the system's.  */

/* Return the path of the copy for UNIT while it runs, in static memory.  With
   UNIT "%n" the folder is in systemd's notation.  */
extern const char *bound_file (const char *unit);

/* Put a copy of LOADER at that path, if it can take the place of the system's
   loader; else note why not.  */
extern bool bound_make (const char *unit, const char *loader,
                        struct problem *problem);

/* Whether UNIT had no copy at its last start; then PROBLEM says why.  */
extern bool bound_has_failed (const char *unit, struct problem *problem);

/* Remove the copy, the note, and empty folders, except the folder that belongs
   to the installation.  */
extern void bound_remove (const char *unit);

/* eligible.c: programs that can gain from huge text.  */

/* Add the executables of UNIT's processes, and the one that it starts, to
   PROGRAMS, if they have as much text as fits into a huge page, libraries
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

/* Return the drop-in's path for the unit ID, and its folder, in static
   memory.  */
extern const char *dropin_file (const char *id);
extern const char *dropin_folder (const char *id);

/* Return the drop-in's text for UNIT, with LOADER, or with NULL the loader at
   the time of the start.  The caller frees it; NULL with PROBLEM set.  */
extern char *dropin_text (const struct unit *unit, const char *loader,
                          struct problem *problem);

/* Return the text for a static program of UNIT: all PROGRAMS are primed before
   it starts.  */
extern char *dropin_primed (const struct unit *unit,
                            const struct file_list *programs,
                            struct problem *problem);

/* Whether another program has written the file with the drop-in's name.  */
extern bool dropin_is_foreign (const char *id);

/* Return the other file that is bound over the system's loader for UNIT, in
   static memory; NULL if there is none.  */
extern const char *dropin_rival (const struct unit *unit);

/* trial.c */

/* Whether the file LOADER can take the place of the system's loader, as far as
   can be told without running it.  */
extern bool trial_fits (const char *loader, struct problem *problem);

#endif
