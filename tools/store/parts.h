/* The parts of the store's synchronisation, for the files of this module.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_PARTS_H
#define STORE_PARTS_H

#include "host/procmaps.h"
#include "image/folder.h"
#include "store/sync.h"

#include <sys/types.h>

/* Whether the time for WORK is over; then note that.  */
extern bool work_is_late (struct store_work *work);

/* Most images of objects that only the processes of an entry have opened, and
   most bytes of them: which objects a process opens, its user may decide.
   PostgreSQL opens 110 MiB of text in 15 libraries.  */
#define OPENED_IMAGES_MAX 64
#define OPENED_BYTES_MAX (UINT64_C (256) << 20)

/* Objects: paths without links, each file once.  The first NAMED of them were
   named by a user, and the first FIXED of them depend on no process.  Nothing
   is added when the time for WORK is over.  */
struct objects
{
  struct store_work *work;
  struct file_list files;
  size_t named, fixed;
  size_t searched; /* How many have the libraries that they need behind
                      them.  */
  struct hugetext_identity *seen; /* The identity of each file.  */
};

/* Add the program or library NAME, which a user has named.  Return NULL, or
   why it is not added.  */
extern const char *objects_add_file (struct objects *objects,
                                     const char *name);

/* Add the file PATH if it is ELF, root's and readable for every user, and not
   there yet; if MAP is not NULL, only if it is the file that MAP shows.
   Return NULL, or why it is not added.  */
extern const char *objects_add (struct objects *objects, const char *path,
                                const struct mapping *map);

/* Add the objects that process PID has mapped.  */
extern void objects_add_process (struct objects *objects, pid_t pid);

/* Add the libraries that the objects so far need, or open as soon as they run.
   False if these may not be all: the time was too short, or what reads them
   has failed.  */
extern bool objects_add_needed (struct objects *objects);

/* Add to NEEDED the libraries that the program or library PATH needs, or opens
   as soon as it runs, as a process without rights finds them, which opens
   files by OPENER.  */
extern void objects_find_needed (const char *path, file_opener *opener,
                                 struct file_list *needed);

extern void objects_free (struct objects *objects);

/* The list of objects whose images are wanted, and by whom: the store's file
   .wanted.  A line is the name of a file of "hugetext enable", or "hand" for
   what users have asked for, and the object's path behind it.  An image that
   is on no line of an enabled file is removed.  */
/* Read the list.  Return NULL, or what is wrong.  The caller frees WANTED in
   both cases.  */
extern const char *wanted_read (struct file_list *wanted);

/* Return the object on line I if that is of the entry NAME, or of what users
   have asked for if NAME is NULL; NULL if it is not.  */
extern const char *wanted_by (const struct file_list *wanted, size_t i,
                              const char *name);

/* Whether the list has a line of NAME.  */
extern bool wanted_knows (const struct file_list *wanted, const char *name);

/* Whether the object PATH is on a line that is enabled.  */
extern bool wanted_has (const struct file_list *wanted, const char *path);

/* Make OBJECTS the lines of NAME, with KEEP beside those that are there, and
   write the list, without what is no longer enabled.  OBJECTS may be NULL. The
   store is locked.  Return NULL, or what is wrong.  */
extern const char *wanted_write (const struct file_list *wanted,
                                 const char *name,
                                 const struct file_list *objects, bool keep);

/* Make the missing images of OBJECTS, of the entry NAME or of users, in STORE,
   which is locked.  */
extern void store_make (const struct store *store,
                        const struct objects *objects, const char *name);

#endif
