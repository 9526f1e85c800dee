/* Replace a file atomically: a reader gets the complete old file or the
   complete new one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The new file is first written in the same directory under a temporary name,
   .new-hugetext-XXXXXX, which no other process uses and no reader of the
   directory opens.  Then it is renamed.  */

#ifndef REWRITE_H
#define REWRITE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Create the directory PATH, and missing parents, unless it exists.  The mode
   of the directory is 0755, independent of the umask.  Unless MADE is NULL,
   add the number of new directories to *MADE.  On failure set errno and
   return false.  */
extern bool rewrite_folder (const char *path, int *made);

/* Write the SIZE bytes at DATA to OFFSET of FD.  */
extern bool rewrite_at (int fd, const void *data, size_t size,
                        uint64_t offset);

/* Begin a new file in the directory FOLDER, and set NEW to its temporary
   path.  Return its descriptor, or -1 with errno set.  */
extern int rewrite_begin (const char *folder, char new[static PATH_MAX]);

/* If GOOD, replace PATH by the file NEW, whose descriptor is FD, and make it
   readable for all users.  Otherwise remove NEW.  Close FD.  If PATH was not
   replaced, set errno and return false.  */
extern bool rewrite_end (int fd, const char *new, const char *path, bool good);

/* Replace the file PATH by a file with the SIZE bytes at DATA.  The directory
   is looked up only once, so no other user can redirect the rename.  */
extern bool rewrite_data (const char *path, const void *data, size_t size);

/* Replace the file NAME in the directory with descriptor DIR, as rewrite_data
   does.  If EVERYBODY, all users may read the new file, otherwise only its
   owner.  */
extern bool rewrite_in (int dir, const char *name, bool everybody,
                        const void *data, size_t size);

/* Remove temporary files of killed processes from the directory FOLDER.  The
   caller has a lock that prevents other processes from beginning a file
   there.  */
extern void rewrite_clean (const char *folder);

#endif
