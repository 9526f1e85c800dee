/* The replacement of a file: a reader finds all of the old one or all of the
   new one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The new file is written beside the old one under a name that no other
   process has, .new-hugetext-XXXXXX, which nothing reads in any of our
   folders; then it is renamed.  */

#ifndef REWRITE_H
#define REWRITE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make the folder PATH, with the folders on the way, if it is missing: of mode
   0755, whatever the umask.  Add the number of folders that were made to
   *MADE, unless MADE is NULL.  False with errno set if that fails.  */
extern bool rewrite_folder (const char *path, int *made);

/* Write the SIZE bytes at DATA to OFFSET of FD.  */
extern bool rewrite_at (int fd, const void *data, size_t size,
                        uint64_t offset);

/* Begin a new file in FOLDER.  Set NEW to its temporary path.  Return its
   descriptor; -1 with errno set.  */
extern int rewrite_begin (const char *folder, char new[static PATH_MAX]);

/* If GOOD, put NEW, open as FD, in the place of PATH, readable for all users;
   else remove it.  Close FD.  False with errno set if it is not in place: then
   PATH is as it was.  */
extern bool rewrite_end (int fd, const char *new, const char *path, bool good);

/* Replace the file PATH by one with the SIZE bytes at DATA.  The folder is
   looked for once: nobody has the new file renamed from or to another one.  */
extern bool rewrite_data (const char *path, const void *data, size_t size);

/* Replace the file NAME in the directory DIR, a descriptor, in the same way by
   a file that everybody, or only its owner, may read.  */
extern bool rewrite_in (int dir, const char *name, bool everybody,
                        const void *data, size_t size);

/* Remove temporary files of killed processes from FOLDER.  The caller has a
   lock that keeps others from beginning a file there.  */
extern void rewrite_clean (const char *folder);

#endif
