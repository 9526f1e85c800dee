/* What there is in the store, and removing what is of no use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_LIST_H
#define STORE_LIST_H

#include "store-folder.h"
#include "store-objects.h"
#include "store-users.h"

/* Print what STORE has, as a table or as JSON, and whether INDEX says so.  */
extern void store_list (const struct store *store, const char *index,
                        bool json);

/* Remove from STORE, which is locked, what the loader has no use for, and what
   is only for those of USERS that are not enabled any more; BRIEF: print no
   more than what is removed.  SAY is called for what cannot be.  */
extern void store_gc (const struct store *store,
                      const struct store_users *users, bool brief,
                      objects_say *say);

#endif
