/* For what of that is enabled the store's images are.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_USERS_H
#define STORE_USERS_H

#include "dependencies.h"

#include <stdbool.h>

/* A file of "hugetext enable", and the objects that it has images for.  */
struct store_user
{
  char *name;   /* Without its folder.  */
  bool enabled; /* It is there.  */
  struct file_list objects;
};

/* The list of what somebody has asked for; no such file is enabled.  */
#define STORE_BY_HAND "hand"

struct store_users
{
  struct store_user *list;
  size_t count;
};

/* Read the lists in STORE, a folder, of files that are in FOLDER.  Returns
   NULL, or what is wrong.  To be freed in both cases.  */
extern const char *store_users_read (struct store_users *users,
                                     const char *store, const char *folder);

/* The list of the file NAME, NULL if there is none.  */
extern struct store_user *store_users_find (const struct store_users *users,
                                            const char *name);

/* Whether the object PATH is on a list; only on those of what is enabled if
   ENABLED.  */
extern bool store_users_have (const struct store_users *users,
                              const char *path, bool enabled);

/* Write the list of the file NAME to STORE, which is locked.  Returns NULL, or
   what is wrong.  */
extern const char *store_users_write (const char *store, const char *name,
                                      const struct file_list *objects);

/* Add what is not there yet to the list of what somebody has asked for.  */
extern const char *store_users_note (const char *store,
                                     const struct store_users *users,
                                     const struct file_list *objects);

/* Remove from STORE the lists of what is not enabled any more.  */
extern void store_users_forget (const struct store_users *users,
                                const char *store);

extern void store_users_free (struct store_users *users);

#endif
