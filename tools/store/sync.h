/* The synchronisation of the store: wanted images are made, others removed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_SYNC_H
#define STORE_SYNC_H

#include "index/entry.h"
#include "store/make.h"

/* The place of a store: its settings file, index and folder.  */
struct store_place
{
  const char *config, *index, *folder;
};

/* Make images of OBJECTS in the store at PLACE, and note that a user has asked
   for them.  False if the index cannot be compiled, or the store cannot be
   changed, which HOW has reported.  The next two functions do so, too.  */
extern bool store_add (const struct store_place *place,
                       const struct objects *objects,
                       const struct store_how *how, struct store_added *added);

/* Remove images that the loader cannot use, and images whose files are no
   longer enabled.  */
extern bool store_collect (const struct store_place *place,
                           const struct store_how *how,
                           struct store_added *added);

/* Bring all images in the store up to date, and remove those without use.
   False also if not all is done.  */
extern bool store_refresh (const struct store_place *place,
                           const struct store_how *how,
                           struct store_added *added);

/* Whether ENTRY's settings let the loader use the store.  */
extern bool store_is_wanted (const struct entry *entry);

/* Make images of the objects that ENTRY's programs need and have opened, as
   far as can be told, and write ENTRY's list.  Return NULL, or why nothing can
   be made.  */
extern const char *store_fill (const struct entry *entry,
                               const struct store_how *how,
                               struct store_added *added);

/* Whether the store has a list for the entry NAME.  */
extern bool store_has_list (const char *name);

/* Renew the images of ENTRY within SECONDS, if there is a store and it is out
   of date.  Failures have no effect.  */
extern void store_renew (const struct entry *entry, int seconds);

#endif
