/* Make the images that objects are to have.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_ADD_H
#define STORE_ADD_H

#include "store-folder.h"
#include "store-objects.h"

/* How that is to be done.  */
struct store_how
{
  int64_t end;  /* No image is begun after that on store_clock; 0: never.  */
  bool watched; /* Show on a terminal what is being done.  */
  bool brief;   /* Print no more than what is made,  */
  bool silent;  /* or nothing.  */
  objects_say *say; /* Called for all that cannot be done.  */
};

struct store_added
{
  size_t made, there;
  uint64_t size; /* Of those made, in bytes.  */
  bool late;     /* The end came.  */
  bool full;     /* There was no room for more.  */
};

/* Make images of OBJECTS in the folder of STORE, which is locked, as far as it
   has none of them.  */
extern struct store_added store_add (const struct store *store,
                                     const struct objects *objects,
                                     const struct store_how *how);

#endif
