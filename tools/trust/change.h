/* Functions that change files of the machine, undo these changes, or only
   print them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHANGE_H
#define CHANGE_H

#include "util/problem.h"

#include <stdbool.h>

/* After change_simulate has been called, changes are only printed and not
   made.  change_is_simulated returns whether change_simulate was called.  */
extern void change_simulate (void);
extern bool change_is_simulated (void);

/* Write TEXT to the file PATH, unless the file already contains exactly TEXT.
   Create missing directories in the path.  */
extern bool change_write (const char *path, const char *text,
                          struct problem *problem);

/* Remove the file PATH, if it exists.  */
extern bool change_remove (const char *path, struct problem *problem);

/* Remove the directory PATH, if it exists and is empty.  */
extern void change_remove_directory (const char *path);

/* Return the contents of the file PATH as a string; the caller frees the
   string.  On failure set errno and return NULL.  */
extern char *change_read (const char *path);

/* Return true if the file PATH contains exactly TEXT.  */
extern bool change_has_text (const char *path, const char *text);

/* Return true if a file was changed or, after change_simulate, would have been
   changed.  */
extern bool change_is_done (void);

/* Make all changes so far permanent: change_undo does not undo them, and
   change_is_done does not count them.  */
extern void change_keep (void);

/* Undo all changes; if one change cannot be undone, undo the others
   nevertheless.  */
extern void change_undo (void);

#endif
