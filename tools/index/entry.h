/* Entries of "hugetext enable": its files among those that are compiled to the
   index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ENTRY_H
#define ENTRY_H

#include "object/dependencies.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct entry
{
  char *name; /* Of a unit, or the path of a program.  */
  char *file;
  struct file_list programs; /* That have a section.  */
  struct file_list settings; /* "KEY = VALUE", the same for all of them.  */
  bool no_store;             /* It is to have no images.  */
};

/* The folder of these files, and the file for NAME, in static memory.  */
extern const char *entry_folder (void);
extern const char *entry_file (const char *name);

/* Whether ENTRY is about a service; else it is about a program.  */
extern bool entry_is_service (const struct entry *entry);

/* The text of the file for ENTRY, to be freed; NULL if there is no memory.  */
extern char *entry_text (const struct entry *entry);

/* Whether PATH can be a section, and means only itself there.  */
extern bool entry_can_name (const char *path);

/* Read the file for NAME.  False with errno set; EEXIST if it is about
   something else.  */
extern bool entry_read (const char *name, struct entry *entry);

/* Read all there are, by name.  Returns their number, -1 with errno set if
   the folder cannot be read.  */
extern int entry_list (struct entry **list);

extern void entry_free (struct entry *entry);

/* The bits of "hugetext =" (settings.h) that sections outside ENTRY's file
   have for any program of ENTRY.  */
extern uint64_t entry_other_mode (const struct entry *entry);

/* Say on standard error, for WHO, which settings of sections outside ENTRY's
   file count for its programs, and which do not since ENTRY has others.  */
extern void entry_say_others (const struct entry *entry, const char *who);

/* Whether LINE of an entry's settings, "KEY = VALUE", is of KEY.  */
extern bool entry_is_of (const char *line, const char *key);

#endif
