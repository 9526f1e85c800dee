/* Entries: the settings files that "hugetext enable" writes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ENTRY_H
#define ENTRY_H

#include "object/dependencies.h"
#include "util/problem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct entry
{
  char *name; /* The name of a unit, or the path of a program.  */
  char *file;
  struct file_list programs; /* The programs that have a section.  */
  struct file_list settings; /* The settings as "KEY = VALUE", the same for all
                                programs.  */
};

/* Return the directory of entries, and the file for NAME, in static
   memory.  */
extern const char *entry_folder (void);
extern const char *entry_file (const char *name);

/* Return the path of the link to the loader that the guard makes for the unit
   NAME if its trial of the loader was good, and removes before each trial; in
   static memory.  */
extern const char *entry_bound (const char *name);

/* Whether there is such a link for ENTRY, a service.  */
extern bool entry_was_tried (const struct entry *entry);

/* Whether ENTRY is for a service; otherwise it is for a program.  */
extern bool entry_is_service (const struct entry *entry);

/* Return the text of ENTRY's file, which the caller frees, or NULL if there
   is no memory.  */
extern char *entry_text (const struct entry *entry);

/* Whether PATH can be the pattern of a section that matches only PATH.  */
extern bool entry_can_name (const char *path);

/* Read the file for NAME.  False with errno set; EEXIST if the file is not an
   entry for NAME.  */
extern bool entry_read (const char *name, struct entry *entry);

/* Set PROBLEM to the reason, in errno, why there is no entry for NAME.  Return
   false.  */
extern bool entry_problem (struct problem *problem, const char *name);

/* Read all entries, sorted by name.  A copy of an entry under another name is
   a settings file of the administrator's, and not an entry.  Return the number
   of entries, -1 with errno set if the directory cannot be read.  */
extern int entry_list (struct entry **list);

extern void entry_free (struct entry *entry);

/* Whether LINE of an entry's settings, "KEY = VALUE", sets KEY.  */
extern bool entry_is_of (const char *line, const char *key);

#endif
