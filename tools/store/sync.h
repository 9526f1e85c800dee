/* The synchronisation of the store: wanted images are made, others removed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_SYNC_H
#define STORE_SYNC_H

#include "index/entry.h"
#include "store/make.h"

/* Where things are.  */
struct store_place
{
  const char *config, *index, *folder;
};

/* Make images of OBJECTS in the store at PLACE, and note that a user has
   asked for them.  False if the index cannot say so, or the store cannot be
   changed; HOW has been told.  So do the next two.  */
extern bool store_add (const struct store_place *place,
                       const struct objects *objects,
                       const struct store_how *how, struct store_added *added);

/* Remove what the loader has no use for, and what is only for files that are
   not enabled any more.  */
extern bool store_collect (const struct store_place *place,
                           const struct store_how *how,
                           struct store_added *added);

/* Bring all that is in the store up to date, and remove what is of no use any
   more.  False as well if it is not all done.  */
extern bool store_refresh (const struct store_place *place,
                           const struct store_how *how,
                           struct store_added *added);

/* Whether ENTRY's settings have the loader look into the store.  */
extern bool store_is_wanted (const struct entry *entry);

/* Make images of what ENTRY's programs need and have opened, as far as that
   can be told, and note for whom they are.  Returns NULL, or why nothing can
   be made.  */
extern const char *store_fill (const struct entry *entry,
                               const struct store_how *how,
                               struct store_added *added);

/* Whether that has been done for NAME, of a unit or a program's path.  */
extern bool store_has_list (const char *name);

/* The same within SECONDS, if there is a store and it is out of date.  What
   goes wrong is of no consequence.  */
extern void store_renew (const struct entry *entry, int seconds);

#endif
