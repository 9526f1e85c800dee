/* The making of the images that objects are to have.
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
    STORE_MADE, /* It has been made.  */
    STORE_NONE, /* There is none, because of PROBLEM; it was not asked for.  */
    STORE_REMOVED, /* It was removed because of PROBLEM.  */
  } action;
  const char *object; /* Or its image's path if that is not known.  */
  const char *problem;
  size_t blocks;
};

/* How that is to be done.  */
struct store_how
{
  int64_t end; /* No image is begun after that on store_clock; 0: never.  */
  const char *who;  /* The verb to name if the store's lock has to be waited
                       for;  NULL:  that is not said.  */
  bool brief;       /* Have no more said than what is made.  */
  objects_say *say; /* Called for all that cannot be done.  */
  void (*tell) (const struct store_event *event); /* Or NULL.  */
};

struct store_added
{
  size_t made, there, removed;
  uint64_t size;  /* Of those made, in bytes,  */
  uint64_t freed; /* and of those removed.  */
  bool late;      /* The end came.  */
  bool full;      /* There was no room for more.  */
};

/* Make images of OBJECTS in the folder of STORE, which is locked, as far as it
   has none of them.  */
extern void store_make (const struct store *store,
                        const struct objects *objects,
                        const struct store_how *how,
                        struct store_added *added);

#endif
