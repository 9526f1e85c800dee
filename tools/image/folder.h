/* The store's folder: the files with images, and the lock.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include "image/image.h"

#include <stddef.h>

/* A file of the folder.  */
struct stored
{
  char *name; /* Its name in the folder.  */
  char *path; /* Its path in the index's form.  */
  struct image image;
  const char *problem; /* Why the loader must not use it, or NULL.  */
};

struct store
{
  char path[PATH_MAX];
  struct stored *files; /* The files by name.  */
  size_t count;
};

/* Set PATH to the store of the index file INDEX: the folder "store" beside
   it.  */
extern void store_path (const char *index, char path[static PATH_MAX]);

/* Read the folder PATH into STORE; a missing folder is empty.  Return NULL, or
   what is wrong.  The caller frees STORE in both cases.  */
extern const char *store_read (struct store *store, const char *path);

/* Return the file of STORE with an image of OBJECT that the loader may use,
   NULL if there is none.  */
extern const struct stored *
store_find (const struct store *store, const struct hugetext_identity *object);

extern void store_free (struct store *store);

/* Make the folder PATH, and take its lock until FD is closed; FD is -1 on
   failure.  While another command has the lock, report the wait for WHO, a
   name or NULL, and wait until the milliseconds END of store_clock, 0 for no
   limit.  Then remove unfinished files of killed commands.  Return NULL, or
   what is wrong.  */
extern const char *store_lock (const char *path, int *fd, int64_t end,
                               const char *who);

/* Return milliseconds of a clock that users cannot set.  */
extern int64_t store_clock (void);

/* Set NAME to the name of the file for the image of the object PATH.  */
extern void store_name (const char *path, char name[static NAME_MAX]);

#endif
