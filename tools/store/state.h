/* The contents of the store, and how the page cache holds them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_STATE_H
#define STORE_STATE_H

#include "image/folder.h"
#include "index/file.h"
#include "host/machine.h"

#include <json-c/json.h>

/* Why the loader, which reads INDEX, does not use STORED, NULL if it does.  */
extern const char *store_image_problem (const struct stored *stored,
                                        const struct index_file *index);

/* How an image is cached: blocks, and bytes of all of it.  */
struct image_cached
{
  bool known; /* Only who owns it can ask without reading it.  */
  size_t huge, small, partly, unread;
  uint64_t bytes;
};

/* Bytes that STORED takes on the disk.  */
extern uint64_t store_image_disk (const struct stored *stored);

/* The sums.  */
struct store_state
{
  const char *path;
  struct filesystem filesystem; /* An empty type if it is not known.  */
  size_t images, blocks, huge;
  uint64_t cached, disk;
  bool known;                     /* HUGE and CACHED are.  */
  struct image_cached *cached_of; /* Each image of the store.  */
};

/* STATE in words, in static memory.  */
extern const char *store_state_words (const struct store_state *state);

/* Add STATE to JSON.  */
extern void store_state_json (const struct store_state *state,
                              struct json_object *json);

/* Set STATE to that of the folder PATH, read into STORE.  Returns NULL, or
   what is wrong.  Both are to be freed in both cases.  */
extern const char *store_state_read (struct store_state *state,
                                     struct store *store, const char *path);

extern void store_state_free (struct store_state *state);

/* Add to ALL, and print as a table unless it will be printed as JSON, what the
   store FOLDER has, and whether INDEX says so.  Returns NULL, or what is
   wrong.  */
extern const char *store_list (const char *folder, const char *index,
                               bool json, struct json_object *all);

#endif
