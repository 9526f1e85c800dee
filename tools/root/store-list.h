/* What there is in the store, whether it is right, and removing what is not.
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

/* Compare the images of STORE with the files that they are of, byte by byte,
   and with what INDEX says.  SAY is called for each that is wrong.  */
extern void store_check (const struct store *store, const char *index,
                         objects_say *say);

/* Remove from STORE, which is locked, what the loader has no use for, and what
   is only for those of USERS that are not enabled any more; BRIEF: print no
   more than what is removed.  SAY is called for what cannot be.  */
extern void store_gc (const struct store *store,
                      const struct store_users *users, bool brief,
                      objects_say *say);

#endif
