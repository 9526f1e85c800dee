/* The store's directory: the files with images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_DIRECTORY_H
#define STORE_DIRECTORY_H

#include "util/problem.h"
#include "image/image.h"

#include <stdbool.h>
#include <stddef.h>

/* A file in the store's directory.  */
struct stored
{
  char *path; /* The path of the file, as in the index.  */
  struct image image;
  struct problem problem; /* The reason why the loader must not use the
                             image.  */
  bool unknown; /* It is unknown whether the image has a problem, because the
                   unprivileged process that examines the object did not
                   answer.  */
};

/* The message that the command has not checked an image against its object,
   and therefore does not remove the image.  */
#define STORED_UNKNOWN                                                       \
  "hugetext's helper process, which reads the file, was killed, or did not " \
  "answer; the image of the file is kept"

struct store
{
  struct stored *files; /* The files in the store's directory, sorted by
                           name.  */
  size_t count;
};

/* Return the path of the store's directory ("store" beside the index file), in
   static memory.  */
extern const char *store_directory (void);

/* Read the store's directory into STORE.  If the directory does not exist,
   STORE is empty.  The caller frees STORE even on failure.  */
extern bool store_read (struct store *store, struct problem *problem);

/* Return a file in STORE with an image of OBJECT that the loader may use, or
   NULL if there is none.  */
extern const struct stored *
store_find (const struct store *store, const struct hugetext_identity *object);

extern void store_free (struct store *store);

/* Set PATH to the path for an image of OBJECT.  The name of the file begins
   and ends with the object's base name, because some tools select objects by
   comparing the beginning or the end of the names in /proc/PID/maps.  */
extern void store_image_path (const char *object, char path[static PATH_MAX]);

#endif
