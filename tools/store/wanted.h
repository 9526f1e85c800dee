/* The list of objects whose images are wanted, and by whom.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In the store there is a list of paths, .for-NAME, for each file NAME of
   "hugetext enable": so what was made for a service goes when that is not
   enabled any more.  What was asked for by hand stays as long as its
   object does.  Lists and images are gone together if the folder is
   removed.  */

#ifndef STORE_WANTED_H
#define STORE_WANTED_H

#include "object/dependencies.h"

#include <stdbool.h>

/* The list of what was asked for by hand; no such file is enabled.  */
#define WANTED_BY_HAND "hand"

/* A list.  */
struct wanted_list
{
  char *name;
  bool enabled; /* The file of "enable" is there, or it is by hand.  */
  struct file_list objects;
};

struct wanted
{
  struct wanted_list *lists;
  size_t count;
};

/* Read the lists in STORE, a folder, of files that are in FOLDER.  Returns
   NULL, or what is wrong.  To be freed in both cases.  */
extern const char *wanted_read (struct wanted *wanted, const char *store,
                                const char *folder);

/* The objects on the list NAME, NULL if there is none.  */
extern const struct file_list *wanted_find (const struct wanted *wanted,
                                            const char *name);

/* Whether the object PATH is on a list; only on those of what is enabled if
   ENABLED.  */
extern bool wanted_has (const struct wanted *wanted, const char *path,
                        bool enabled);

/* Have the list NAME in STORE, which is locked, be of OBJECTS, and of those in
   MORE, which may be NULL.  Returns NULL, or what is wrong.  */
extern const char *wanted_write (const char *store, const char *name,
                                 const struct file_list *objects,
                                 const struct file_list *more);

/* Remove from STORE the lists of what is not enabled any more.  */
extern void wanted_forget (const struct wanted *wanted, const char *store);

extern void wanted_free (struct wanted *wanted);

#endif
