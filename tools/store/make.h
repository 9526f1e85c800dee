/* The making of images: which objects get one, and the result for each.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_MAKE_H
#define STORE_MAKE_H

#include "image/folder.h"
#include "store/objects.h"

/* The result for one image.  */
struct store_event
{
  enum store_action
  {
    STORE_MADE, /* The image was made.  */
    STORE_NONE, /* There is no image, because of PROBLEM; no user has named the
                   object.  */
    STORE_REMOVED, /* The image was removed because of PROBLEM.  */
  } action;
  const char *object; /* The object's path, or its image's path if that is not
                         known.  */
  const char *problem;
  size_t blocks;
};

/* The conditions under which images are made.  */
struct store_how
{
  int64_t end; /* The time of store_clock after which no image is begun; 0 for
                  no limit.  */
  const char *who;  /* The verb to name while waiting for the store's lock;
                       NULL for no message.  */
  bool brief;       /* Report only images that are made.  */
  objects_say *say; /* The function that reports failures.  */
  void (*tell) (const struct store_event *event); /* The function that reports
                                                     results, or NULL.  */
};

struct store_added
{
  size_t made, there, removed;
  uint64_t size;  /* Bytes of images that were made,  */
  uint64_t freed; /* and of images that were removed.  */
  bool late;      /* The time was over before the end.  */
  bool full;      /* There was no room for more images.  */
};

/* Make the missing images of OBJECTS in the folder of STORE, which is
   locked.  */
extern void store_make (const struct store *store,
                        const struct objects *objects,
                        const struct store_how *how,
                        struct store_added *added);

#endif
