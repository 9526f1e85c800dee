/* The contents of the store, and their state in the page cache.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_STATE_H
#define STORE_STATE_H

#include "image/folder.h"
#include "index/file.h"
#include "host/machine.h"

#include <json-c/json.h>

/* Return why the loader, which reads INDEX, does not use STORED, NULL if it
   does.  */
extern const char *store_image_problem (const struct stored *stored,
                                        const struct index_file *index);

/* The state of an image in the page cache: blocks, and bytes of all of it.  */
struct image_cached
{
  bool known; /* The state is known: only the owner can ask without reading the
                 file.  */
  size_t huge, small, partly, unread;
  uint64_t bytes;
};

/* Return the bytes of STORED on the disk.  */
extern uint64_t store_image_disk (const struct stored *stored);

/* The state of a store, and its sums.  */
struct store_state
{
  const char *path;
  struct filesystem filesystem; /* An empty type if it is not known.  */
  size_t images, blocks, huge;
  uint64_t cached, disk;
  bool known;                     /* HUGE and CACHED are known.  */
  struct image_cached *cached_of; /* The state of each image of the store.  */
};

/* Return STATE in words, in static memory.  */
extern const char *store_state_words (const struct store_state *state);

/* Add STATE to JSON.  */
extern void store_state_json (const struct store_state *state,
                              struct json_object *json);

/* Read the folder PATH into STORE, and set STATE to its state.  Return NULL,
   or what is wrong.  The caller frees both in both cases.  */
extern const char *store_state_read (struct store_state *state,
                                     struct store *store, const char *path);

extern void store_state_free (struct store_state *state);

/* Add the images in the store FOLDER, and whether INDEX has them, to ALL, and
   print them as a table unless JSON.  Return NULL, or what is wrong.  */
extern const char *store_list (const char *folder, const char *index,
                               bool json, struct json_object *all);

#endif
