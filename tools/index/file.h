/* Read the index file with the loader's own functions, and add settings from
   the index to settings from other sources.
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

/* Initialize FILE for reading the index on descriptor FD.  If the index could
   not be opened, FD is -1, and errno is set.  Check the index by the loader's
   rules.  ROOT is the user ID that counts as root; ROOT is 0 unless the loader
   is in a user namespace.  If the loader would not use this index, close FD
   and return false.  After a failure, the caller may still search FILE, which
   is then empty, and close it.  The caller must not move FILE in memory.  */
extern bool index_file_open (struct index_file *file, int fd, uid_t root,
                             struct problem *problem);

/* Open the index file PATH, and initialize FILE (index_file_open).  */
extern bool index_file_open_path (struct index_file *file, const char *path,
                                  uid_t root, struct problem *problem);

extern void index_file_close (struct index_file *file);

/* Add to SETTINGS the settings that the index contains for PROGRAM.  PROGRAM
   is a path with symbolic links resolved.  If SETTINGS switch huge text off,
   do nothing, because the loader would not read the index.  */
extern void advice_add (struct settings *settings, const char *program);

/* Like advice_add, add to SETTINGS the settings that the index contains for
   the program REAL.  REAL must not contain symbolic links; the function does
   not access the file.  */
extern void advice_add_real (struct settings *settings, const char *real);

/* Like advice_add, add to SETTINGS the settings that the index contains for
   the program of process PID.  The function uses the index in the root
   directory of the process.  */
extern void advice_add_process (struct settings *settings, pid_t pid);

#endif
