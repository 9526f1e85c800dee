/* Changes of the machine's files, which can be undone, or only announced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHANGE_H
#define CHANGE_H

#include <stdbool.h>

/* Only print changes from now on.  */
extern void change_simulate (void);
extern bool change_is_simulated (void);

/* Write TEXT to the file PATH, unless it has it, and make the folders on the
   way.  Return NULL, or what is wrong, in static memory.  */
extern const char *change_write (const char *path, const char *text);

/* Remove the file PATH, if there is one.  */
extern const char *change_remove (const char *path);

/* Remove the folder PATH, if there is one and it is empty.  */
extern void change_remove_folder (const char *path);

/* Return the text of the file PATH, which the caller frees; NULL with errno
   set.  */
extern char *change_read (const char *path);

/* Whether the file PATH has TEXT.  */
extern bool change_has_text (const char *path, const char *text);

/* Whether a file was changed, or would be.  */
extern bool change_is_done (void);

/* Keep all changes so far: none is undone, or counts as changed.  */
extern void change_keep (void);

/* Undo all changes, as far as possible.  */
extern void change_undo (void);

#endif
