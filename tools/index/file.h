/* The index file, read by the loader's own functions, and the settings in it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_FILE_H
#define INDEX_FILE_H

#include "util/problem.h"
#include "object/settings.h"

#include <sys/types.h>

struct index_file
{
  struct hugetext_index index;
  int fd;
};

/* Begin to read the index that is open as FD (-1 with errno set if opening it
   failed).  Check it like a loader for which the user ROOT is root; ROOT is 0
   unless the loader is in a user namespace.  Return false if the loader runs
   without an index: then FD is closed, lookups in FILE find nothing, and FILE
   may still be closed.  FILE must not be moved.  */
extern bool index_file_open (struct index_file *file, int fd, uid_t root,
                             struct problem *problem);

/* Open the index file PATH as index_file_open does.  */
extern bool index_file_open_path (struct index_file *file, const char *path,
                                  uid_t root, struct problem *problem);

extern void index_file_close (struct index_file *file);

/* Add the index's settings for the program PROGRAM, a path with symbolic links
   resolved, to SETTINGS, unless SETTINGS switch huge text off: then the loader
   does not read the index either.  */
extern void advice_add (struct settings *settings, const char *program);

/* Add the index's settings for the program REAL, as advice_add does.  REAL
   must have no symbolic links; the function does not access the file.  */
extern void advice_add_real (struct settings *settings, const char *real);

/* Add the index's settings for the program of process PID, as advice_add does,
   from the index in the root directory of the process.  */
extern void advice_add_process (struct settings *settings, pid_t pid);

#endif
