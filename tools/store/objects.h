/* The objects that are to have images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_OBJECTS_H
#define STORE_OBJECTS_H

#include "image/folder.h"
#include "object/dependencies.h"

#include <sys/types.h>

/* Paths without links, each file once.  What was asked for by its name comes
   first: NAMED of them.  */
struct objects
{
  struct file_list files;
  size_t named;
  int64_t end; /* On store_clock: nothing is added any more; 0: no end.  */
  struct hugetext_identity *seen; /* Of each.  */
};

/* Says that WHAT could not be had because of PROBLEM.  */
typedef void objects_say (const char *what, const char *problem);

/* Add the program or library NAME.  */
extern void objects_add_file (struct objects *objects, const char *name,
                              objects_say *say);

/* Add the object PATH, if there is one.  */
extern void objects_add_path (struct objects *objects, const char *path);

/* Add the objects that process PID has mapped.  SAY may be NULL.  */
extern void objects_add_process (struct objects *objects, pid_t pid,
                                 objects_say *say);

/* Add the libraries that those up to now need, or open as soon as they run.
   Returns NULL, or that there was no time for all.  */
extern const char *objects_add_needed (struct objects *objects);

extern void objects_free (struct objects *objects);

#endif
