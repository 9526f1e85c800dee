/* The store's directory: the files with images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include "util/problem.h"
#include "image/image.h"

#include <stdbool.h>
#include <stddef.h>

/* A file in the directory.  */
struct stored
{
  char *path; /* The file's path in the format of the index.  */
  struct image image;
  struct problem problem; /* The reason why the loader must not use the
                             image.  */
  bool unknown; /* The process that examines the object for root did not
                   answer, so the image may have a problem.  */
};

/* The reason why a file that may have a problem is not removed.  */
#define STORED_UNKNOWN                                                     \
  "the process that reads it for root was killed, or did not answer: its " \
  "image is kept"

struct store
{
  struct stored *files; /* The files by name.  */
  size_t count;
};

/* Return the store's directory, "store" beside the index, in static
   memory.  */
extern const char *store_folder (void);

/* Read the directory into STORE; a missing directory is empty.  The caller
   frees STORE in both cases.  */
extern bool store_read (struct store *store, struct problem *problem);

/* Return the file of STORE with an image of OBJECT that the loader may use,
   or NULL if no file qualifies.  */
extern const struct stored *
store_find (const struct store *store, const struct hugetext_identity *object);

extern void store_free (struct store *store);

/* Set PATH to the path of the file for the image of the object OBJECT.  It
   begins and ends with the object's base name: tools that select objects by
   their names in /proc/PID/maps compare the beginning or the end.  */
extern void store_image_path (const char *object, char path[static PATH_MAX]);

#endif
