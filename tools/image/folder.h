/* The folder in which the store's images are.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include "image/image.h"

#include <stddef.h>

/* A file of the folder's.  */
struct stored
{
  char *name; /* In the folder.  */
  char *path; /* As the index has it.  */
  struct image image;
  const char *problem; /* Why the loader is not to use it, or NULL.  */
};

struct store
{
  char path[PATH_MAX];
  struct stored *files; /* By name.  */
  size_t count;
};

/* Set PATH to the store of INDEX, a file: the folder "store" beside it.  */
extern void store_path (const char *index, char path[static PATH_MAX]);

/* Read the folder PATH into STORE; what is not there is empty.  Returns NULL,
   or what is wrong.  To be freed in both cases.  */
extern const char *store_read (struct store *store, const char *path);

/* The file of STORE with an image of OBJECT that the loader may use, NULL if
   there is none.  */
extern const struct stored *
store_find (const struct store *store, const struct hugetext_identity *object);

extern void store_free (struct store *store);

/* Make the folder PATH, and keep others from changing it until FD is closed,
   which is -1 if that fails.  If it has to be waited for, until the
   milliseconds END of store_clock if that is not 0, say so for WHO, a name or
   NULL.  Then remove what was left by who was killed.  Returns NULL, or what
   is wrong.  */
extern const char *store_lock (const char *path, int *fd, int64_t end,
                               const char *who);

/* Milliseconds of a clock that cannot be set.  */
extern int64_t store_clock (void);

/* The name that the image of the object PATH has in a folder.  */
extern void store_name (const char *path, char name[static NAME_MAX]);

#endif
