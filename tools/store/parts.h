/* The parts of the store's synchronisation, for the files of this module.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_PARTS_H
#define STORE_PARTS_H

#include "host/procmaps.h"
#include "image/folder.h"
#include "store/sync.h"

#include <sys/types.h>

/* Whether the time for WORK has run out; if so, record this in WORK.  */
extern bool work_is_late (struct store_work *work);

/* The maximum number and the maximum bytes of images for objects that only an
   entry's processes have opened.  The limits are needed because a process's
   user may choose the objects.  PostgreSQL opens 110 MiB of text in 15
   libraries.  */
#define OPENED_IMAGES_MAX 64
#define OPENED_BYTES_MAX (UINT64_C (256) << 20)

/* A list of objects: paths with symbolic links resolved, each file once.  A
   user named the first NAMED of them; the first FIXED do not depend on any
   process.  Nothing is added once the time for WORK has run out.  */
struct objects
{
  struct store_work *work;
  struct file_list files;
  size_t named, fixed;
  size_t searched; /* The number of objects whose libraries are already in the
                      list.  */
  struct hugetext_identity *seen; /* The identity of each file.  */
  bool unknown; /* A process that reads for root did not answer about one of
                   the objects, so some may be missing.  */
};

/* Add the program or library NAME, which a user has named.  */
extern bool objects_add_file (struct objects *objects, const char *name,
                              struct problem *problem);

/* Add the file PATH if it is an ELF file of root that every user can read, and
   OBJECTS does not have it yet; if MAP is not NULL, only if it is the file
   that MAP shows.  */
extern bool objects_add (struct objects *objects, const char *path,
                         const struct mapping *map, struct problem *problem);

/* Add the objects that process PID has mapped, if it runs one of PROGRAMS.  */
extern void objects_add_process (struct objects *objects, pid_t pid,
                                 const struct file_list *programs);

/* Add the libraries that the objects so far need, or open at their start.  */
extern void objects_add_needed (struct objects *objects);

/* Add to NEEDED the libraries that the program or library PATH needs, or opens
   at its start.  A process without rights finds them, and opens files by
   OPENER.  */
extern void objects_find_needed (const char *path, file_opener *opener,
                                 struct file_list *needed);

extern void objects_free (struct objects *objects);

/* The list of wanted images: the store's file .wanted.  A line is the name of
   a file of "hugetext enable", or "hand" for images that users have asked for,
   followed by the object's path.  The store removes an image that no line of
   an enabled file has.  */
/* Read the list.  The caller frees WANTED in any case.  */
extern bool wanted_read (struct file_list *wanted, struct problem *problem);

/* Return the object on line I if the line is of the entry NAME, or, if NAME is
   NULL, of users' requests; otherwise NULL.  */
extern const char *wanted_by (const struct file_list *wanted, size_t i,
                              const char *name);

/* Whether the list has a line of NAME.  */
extern bool wanted_knows (const struct file_list *wanted, const char *name);

/* Whether an enabled line has the object PATH.  */
extern bool wanted_has (const struct file_list *wanted, const char *path);

/* Replace the lines of NAME by OBJECTS, which may be NULL; if KEEP, also keep
   the present lines.  Write the list without lines that are no longer enabled.
   The caller holds the store's lock.  */
extern bool wanted_write (const struct file_list *wanted, const char *name,
                          const struct file_list *objects, bool keep,
                          struct problem *problem);

/* Make the missing images of OBJECTS, of the entry NAME or of users' requests,
   in STORE, whose lock the caller holds.  */
extern void store_make (const struct store *store,
                        const struct objects *objects, const char *name);

#endif
