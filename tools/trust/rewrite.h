/* The atomic replacement of a file: a reader gets all of the old file or all
   of the new one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The new file is written beside the old one under a name that no other
   process uses, .new-hugetext-XXXXXX, and that no reader of the directory
   opens; then it is renamed.  */

#ifndef REWRITE_H
#define REWRITE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make the directory PATH, with missing parents, if it is missing: with mode
   0755, whatever the umask.  Add the number of directories made to *MADE,
   unless MADE is NULL.  False with errno set if that fails.  */
extern bool rewrite_folder (const char *path, int *made);

/* Write the SIZE bytes at DATA to OFFSET of FD.  */
extern bool rewrite_at (int fd, const void *data, size_t size,
                        uint64_t offset);

/* Begin a new file in the directory FOLDER.  Set NEW to its temporary path.
   Return its descriptor; on failure, set errno and return -1.  */
extern int rewrite_begin (const char *folder, char new[static PATH_MAX]);

/* If GOOD, replace PATH by NEW, open as FD, readable for all users; otherwise
   remove NEW.  Close FD.  False with errno set if PATH was not replaced: PATH
   is then unchanged.  */
extern bool rewrite_end (int fd, const char *new, const char *path, bool good);

/* Replace the file PATH by one with the SIZE bytes at DATA.  The directory is
   looked up once, so that no other user can redirect the rename.  */
extern bool rewrite_data (const char *path, const void *data, size_t size);

/* Replace the file NAME in the directory DIR, a descriptor, as rewrite_data
   does, by a file that everybody, or only its owner, may read.  */
extern bool rewrite_in (int dir, const char *name, bool everybody,
                        const void *data, size_t size);

/* Remove temporary files of killed processes from the directory FOLDER.  The
   caller has a lock that keeps other processes from beginning a file
   there.  */
extern void rewrite_clean (const char *folder);

#endif
