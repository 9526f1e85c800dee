/* The objects that are to have images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_OBJECTS_H
#define STORE_OBJECTS_H

#include "image/folder.h"
#include "object/dependencies.h"

#include <sys/types.h>

/* Objects: paths without links, each file once.  The first NAMED of them were
   named by a user.  */
struct objects
{
  struct file_list files;
  size_t named;
  int64_t end; /* The time of store_clock after which nothing is added; 0 for
                  no limit.  */
  struct hugetext_identity *seen; /* The identity of each file.  */
};

/* A function that reports that WHAT failed because of PROBLEM.  */
typedef void objects_say (const char *what, const char *problem);

/* Add the program or library NAME.  */
extern void objects_add_file (struct objects *objects, const char *name,
                              objects_say *say);

/* Add the object PATH, if there is one.  */
extern void objects_add_path (struct objects *objects, const char *path);

/* Add the objects that process PID has mapped.  SAY may be NULL.  */
extern void objects_add_process (struct objects *objects, pid_t pid,
                                 objects_say *say);

/* Add the libraries that the objects so far need, or open as soon as they run.
   Return NULL, or that the time was too short for all.  */
extern const char *objects_add_needed (struct objects *objects);

extern void objects_free (struct objects *objects);

#endif
