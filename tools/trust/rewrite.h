/* Replace a file atomically: a reader gets the complete old file or the
   complete new one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command first writes the new file in the same directory under a
   temporary name, .new-hugetext-XXXXXX.  No other process uses this name, and
   no reader of the directory opens the file.  When the new file is complete,
   the command renames it.

   The functions below find the directory with trusted_directory, and use the
   directory's descriptor, so that no other user decides where root writes its
   files.  */

#ifndef REWRITE_H
#define REWRITE_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Create the directory PATH and its missing parents, unless PATH exists.  The
   mode of new directories is 0755, independent of the umask.  Unless MADE is
   NULL, add the number of new directories to *MADE.  On failure set PROBLEM
   and return false.  */
extern bool rewrite_directory (const char *path, int *made,
                               struct problem *problem);

/* Write the SIZE bytes at DATA to OFFSET of FD.  */
extern bool rewrite_at (int fd, const void *data, size_t size,
                        uint64_t offset);

/* A new file.  */
struct rewrite
{
  int dir;            /* A descriptor of the file's directory.  */
  int fd;             /* The descriptor of the file itself.  */
  char new[NAME_MAX]; /* The temporary name of the file.  */
};

/* Begin a new FILE in the directory DIRECTORY.  On failure set PROBLEM and
   errno, and return false.  */
extern bool rewrite_begin (struct rewrite *file, const char *directory,
                           struct problem *problem);

/* If GOOD is true, give FILE the name NAME, replacing any file of this name,
   and make FILE readable for all users.  If GOOD is false, remove FILE.  Close
   the descriptors of FILE whether GOOD is true or false.  If NAME was not
   replaced, set errno and return false.  */
extern bool rewrite_end (struct rewrite *file, const char *name, bool good);

/* Replace the file PATH by a file that contains the SIZE bytes at DATA.  On
   failure set PROBLEM and return false.  */
extern bool rewrite_data (const char *path, const void *data, size_t size,
                          struct problem *problem);

/* Remove the file PATH if it exists.  On failure set PROBLEM and return
   false.  */
extern bool rewrite_remove (const char *path, struct problem *problem);

/* Replace the file NAME in the directory DIR by a file that contains the SIZE
   bytes at DATA.  If EVERYBODY is true, all users may read the new file.  If
   EVERYBODY is false, only the owner of the new file may read it.  On failure
   set errno and return false.  */
extern bool rewrite_in (int dir, const char *name, bool everybody,
                        const void *data, size_t size);

/* Remove temporary files of killed processes from the directory DIRECTORY. The
   caller must hold a lock that prevents other processes from beginning a file
   in DIRECTORY.  */
extern void rewrite_clean (const char *directory);

#endif
