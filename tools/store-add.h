/* Make the images that objects are to have.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_ADD_H
#define STORE_ADD_H

#include "store-folder.h"
#include "store-objects.h"

/* Make images of OBJECTS in the folder of STORE, which is locked, as far as it
   has none of them.  SAY is called for all that cannot be done.  */
extern void store_add (const struct store *store,
                       const struct objects *objects, objects_say *say);

#endif
