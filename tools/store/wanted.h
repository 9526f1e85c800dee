/* The list of objects whose images are wanted, and by whom.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The store has a list of paths, .for-NAME, for each file NAME of "hugetext
   enable": so the images of a service are removed when the service is no
   longer enabled.  Images that a user asked for stay as long as their objects
   do.  Removing the folder removes lists and images together.  */

#ifndef STORE_WANTED_H
#define STORE_WANTED_H

#include "object/dependencies.h"

#include <stdbool.h>

/* The list of objects that a user asked for; no file of "hugetext enable" has
   this name.  */
#define WANTED_BY_HAND "hand"

/* A list.  */
struct wanted_list
{
  char *name;
  bool enabled; /* The file of "enable" exists, or a user asked for the
                   list.  */
  struct file_list objects;
};

struct wanted
{
  struct wanted_list *lists;
  size_t count;
};

/* Read the lists in the folder STORE, which belong to files in FOLDER.  Return
   NULL, or what is wrong.  The caller frees WANTED in both cases.  */
extern const char *wanted_read (struct wanted *wanted, const char *store,
                                const char *folder);

/* Return the objects on the list NAME, NULL if there is none.  */
extern const struct file_list *wanted_find (const struct wanted *wanted,
                                            const char *name);

/* Whether the object PATH is on a list; with ENABLED, on a list that is
   enabled.  */
extern bool wanted_has (const struct wanted *wanted, const char *path,
                        bool enabled);

/* Write the list NAME in STORE, which is locked: OBJECTS, and those in MORE,
   which may be NULL.  Return NULL, or what is wrong.  */
extern const char *wanted_write (const char *store, const char *name,
                                 const struct file_list *objects,
                                 const struct file_list *more);

/* Remove the lists of entries that are no longer enabled from STORE.  */
extern void wanted_forget (const struct wanted *wanted, const char *store);

extern void wanted_free (struct wanted *wanted);

#endif
