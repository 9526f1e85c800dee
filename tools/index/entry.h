/* Entries: the settings files that "hugetext enable" writes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ENTRY_H
#define ENTRY_H

#include "object/dependencies.h"
#include "object/settings.h"
#include "util/problem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct entry
{
  char *name; /* The name of a unit or the path of a program.  */
  char *file;
  struct file_list programs; /* The programs for which the entry has a
                                section.  */
  struct file_list settings; /* The settings, as "KEY = VALUE".  All programs
                                of the entry have the same settings.  */
};

/* Return the path of the directory of entries (entry_directory), or of the
   file for NAME in this directory (entry_file).  The result is in static
   memory.  */
extern const char *entry_directory (void);
extern const char *entry_file (const char *name);

/* Return the path of the link to the loader for the unit NAME.  "hugetext
   guard" removes the link before each trial of the loader, and creates it
   again if the trial succeeds.  The result is in static memory.  */
extern const char *entry_bound (const char *name);

/* Return true if the last trial of the loader for the service of ENTRY was
   successful.  The link to the loader (entry_bound) exists only after a
   successful trial.  */
extern bool entry_was_tried (const struct entry *entry);

/* Return true if ENTRY is for a service, and not for a program.  */
extern bool entry_is_service (const struct entry *entry);

/* Return a program for which both A and B have a section, or NULL.  */
extern const char *entry_common_program (const struct entry *a,
                                         const struct entry *b);

/* Return true if SOURCE, which has the form "FILE:LINE", is in ENTRY's
   file.  */
extern bool entry_has_source (const struct entry *entry, const char *source);

/* Return the contents for ENTRY's file, or NULL if there is no memory.  The
   caller frees the result.  */
extern char *entry_text (const struct entry *entry);

/* Return true if a section can have PATH as its pattern, so that the section
   applies only to PATH.  */
extern bool entry_can_name (const char *path);

/* Read the file for NAME into ENTRY.  On failure set errno and return false.
   EEXIST means that the file is not an entry for NAME.  */
extern bool entry_read (const char *name, struct entry *entry);

/* Set PROBLEM to the reason why there is no entry for NAME, according to
   errno, and return false.  */
extern bool entry_problem (struct problem *problem, const char *name);

/* Set LIST to all entries, sorted by name.  Return the number of entries, or
   -1 with errno set if the directory cannot be read.  If the administrator has
   copied an entry to a file with another name, the copy is not an entry, but
   an ordinary settings file.  */
extern int entry_list (struct entry **list);

/* Add to NAMES the names of all entries.  */
extern void entry_list_names (struct file_list *names);

extern void entry_free (struct entry *entry);

/* Return the line "KEY = VALUE" in ENTRY that sets KEY, or NULL if there is
   none.  */
extern char **entry_line (const struct entry *entry, enum hugetext_key key);

/* Return the value of KEY in ENTRY, as text.  Return NULL if ENTRY does not
   set KEY.  */
extern const char *entry_value (const struct entry *entry,
                                enum hugetext_key key);

/* Return true if a user has edited ENTRY's file by hand, so that it has text
   that "hugetext enable" would not write.  Changed values do not count as
   edited, because "hugetext enable" keeps them.  */
extern bool entry_is_edited (const struct entry *entry);

#endif
