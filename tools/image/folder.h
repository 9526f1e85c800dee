/* The store's directory: the files with images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include "image/image.h"

#include <stdbool.h>
#include <stddef.h>

/* A file in the directory.  */
struct stored
{
  char *path; /* Its path in the index's form.  */
  struct image image;
  const char *problem; /* Why the loader must not use it, or NULL.  */
  bool unknown; /* What looks at its object for root did not answer, so that
                   there may be a problem with it.  */
};

/* Why a file is not removed that may have a problem.  */
#define STORED_UNKNOWN                                                     \
  "what looks at it for root was killed, or did not answer: its image is " \
  "kept"

struct store
{
  struct stored *files; /* The files by name.  */
  size_t count;
};

/* Return the store's directory, "store" beside the index, in static
   memory.  */
extern const char *store_folder (void);

/* Read the directory into STORE; a missing directory is empty.  Return NULL,
   or what is wrong.  The caller frees STORE in both cases.  */
extern const char *store_read (struct store *store);

/* Return the file of STORE with an image of OBJECT that the loader may use,
   NULL if there is none.  */
extern const struct stored *
store_find (const struct store *store, const struct hugetext_identity *object);

extern void store_free (struct store *store);

/* Set PATH to the path of the file for the image of the object OBJECT.  It
   begins and ends with the object's base name: tools that choose objects by
   their names in /proc/PID/maps compare one or the other.  */
extern void store_image_path (const char *object, char path[static PATH_MAX]);

#endif
