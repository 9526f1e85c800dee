/* The functions that the files of this module share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SERVICE_PARTS_H
#define SERVICE_PARTS_H

#include "host/unit.h"
#include "index/entry.h"
#include "object/program.h"
#include "service/service.h"
#include "text/report.h"
#include "trust/change.h"

/* apply.c: the application of changed files.  */

/* Make systemd reload its unit files.  */
extern bool apply_units (struct problem *problem);

/* Make systemd restart UNIT, and check that it stays up.  */
extern bool apply_restart (const char *unit, struct problem *problem);

/* dropin.c: the drop-in that binds the loader over the system's.  */

/* Return the path of the drop-in for the unit ID, and its directory, in static
   memory.  The drop-in binds the loader from entry_bound, with "%n" as
   systemd's specifier for the unit name.  */
extern const char *dropin_file (const char *id);
extern const char *dropin_folder (const char *id);

/* Return the text of the drop-in for the unit ID with LOADER; with NULL it
   uses the loader at the time of the start.  The caller frees it; NULL with
   PROBLEM set.  */
extern char *dropin_text (const char *id, const char *loader,
                          struct problem *problem);

/* Whether another program has written the file with the drop-in's name.  */
extern bool dropin_is_foreign (const char *id);

/* Remove the link from which the drop-in of ID binds the loader.  */
extern void dropin_unbind (const char *id);

/* list.c: the effect of an entry.  */

struct effect
{
  pid_t *processes;
  size_t count;   /* The number of processes that run the programs.  */
  size_t ours;    /* The number of these processes that run under
                     ld-hugetext.so.  */
  pid_t outdated; /* A process with outdated settings: the service's main
                     process if that has outdated settings, or 0 if there is
                     none.  */
  size_t closed;  /* The number of processes that could not be read.  */
  struct text_sums sums;
  struct unseen unseen[OBSERVERS]; /* For each kind of tools, of the process
                                      with most objects that these tools do not
                                      find.  */
  struct problem trouble; /* The reason why the programs do not start with
                             huge text.  */
  char note[512];         /* Other information for the user, "" if none.  */
};

/* Read the effect of ENTRY; LOADER is the loader given on the command line, or
   NULL.  */
extern void effect_read (const struct entry *entry, const char *loader,
                         struct effect *effect);

/* eligible.c: programs that can gain from huge text.  */

/* Add the executables of UNIT's processes, and the one that it starts, to
   PROGRAMS, if they have as much text as fits into a huge page, libraries
   included.  */
extern bool eligible_of_unit (const struct unit *unit,
                              struct file_list *programs,
                              struct problem *problem);

/* Add the canonical path of the executable FILE to PROGRAMS, unless PROGRAMS
   has it.  Return false if the program cannot be enabled.  */
extern bool eligible_add (const char *file, struct file_list *programs,
                          struct problem *problem);

/* guard.c */

/* Whether the file LOADER can take the place of the system's loader, as far as
   can be told without running it.  */
extern bool trial_fits (const char *loader, struct problem *problem);

#endif
