/* Changes of the machine's files that can be undone, or only announced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHANGE_H
#define CHANGE_H

#include <stdbool.h>

/* From now on only print what would be done.  */
extern void change_simulate (void);
extern bool change_is_simulated (void);

/* Make PATH a file with TEXT, unless it is, and the folders that it takes.
   Returns NULL, or what is wrong, in static memory.  */
extern const char *change_write (const char *path, const char *text);

/* Remove the file PATH, if there is one.  */
extern const char *change_remove (const char *path);

/* Remove the folder PATH, if there is one and it is empty.  */
extern void change_remove_folder (const char *path);

/* The text of the file PATH, to be freed; NULL with errno set.  */
extern char *change_read (const char *path);

/* Whether the file PATH has TEXT.  */
extern bool change_has_text (const char *path, const char *text);

/* Whether a file was changed, or would be.  */
extern bool change_is_done (void);

/* The changes are to stay: none is undone, or counts as changed.  */
extern void change_keep (void);

/* Make all as it was before, as far as possible.  */
extern void change_undo (void);

#endif
