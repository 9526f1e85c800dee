/* What the store holds, and how the page cache has it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_STATE_H
#define STORE_STATE_H

#include "index-file.h"
#include "machine.h"
#include "store-folder.h"

#include <json-c/json.h>

/* An index, or none.  */
struct store_index
{
  bool open;
  struct index_file file;
};

extern void store_index_open (struct store_index *index, const char *path);
extern void store_index_close (struct store_index *index);

/* Why the loader does not use STORED, NULL if it does.  */
extern const char *store_image_problem (const struct stored *stored,
                                        const struct store_index *index);

/* How an image is cached: blocks, and bytes of all of it.  */
struct image_cached
{
  bool known; /* Only who owns it can ask without reading it.  */
  size_t huge, small, partly, unread;
  uint64_t bytes;
};

extern struct image_cached store_image_cached (const struct stored *stored);

/* Bytes that STORED takes on the disk.  */
extern uint64_t store_image_disk (const struct stored *stored);

/* The sums.  */
struct store_state
{
  const char *path;
  struct filesystem filesystem; /* An empty type if it is not known.  */
  size_t images, blocks, huge;
  uint64_t cached, disk;
  bool known; /* HUGE and CACHED are.  */
};

/* Those of no image of STORE.  */
extern void store_state_begin (struct store_state *state,
                               const struct store *store);

/* Add STORED.  */
extern void store_state_add (struct store_state *state,
                             const struct stored *stored,
                             const struct image_cached *cached);

/* STATE in words, in static memory.  */
extern const char *store_state_words (const struct store_state *state);

/* Add STATE to JSON.  */
extern void store_state_json (const struct store_state *state,
                              struct json_object *json);

/* Set STATE to that of the folder PATH, read into STORE, which has to be
   freed.  */
extern const char *store_state_read (struct store_state *state,
                                     struct store *store, const char *path);

#endif
