/* Keep the store as what is enabled wants it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_REFRESH_H
#define STORE_REFRESH_H

#include "entry.h"
#include "store-add.h"

/* Where things are.  */
struct store_place
{
  const char *config, *index, *folder;
};

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

/* Bring all that is in the store at PLACE up to date, and remove what is of
   no use any more.  False if it is not all done; that has been said.  */
extern bool store_refresh (const struct store_place *place,
                           const struct store_how *how);

#endif
