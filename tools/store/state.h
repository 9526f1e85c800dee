/* The state of the store: its images, and how much of them is cached in huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_STATE_H
#define STORE_STATE_H

#include "image/directory.h"
#include "index/file.h"
#include "util/problem.h"

#include <json-c/json.h>
#include <limits.h>

/* Return true if a loader that reads INDEX would use the image STORED.  If
   the loader would not use the image, set PROBLEM to the reason and return
   false.  */
extern bool store_image_used (const struct stored *stored,
                              const struct index_file *index,
                              struct problem *problem);

/* Return how many bytes STORED uses on the disk.  */
extern uint64_t store_image_disk (const struct stored *stored);

/* Sums over the images in the store.  */
struct store_state
{
  size_t images, blocks, huge;
  uint64_t disk;
  bool in_memory; /* True if the images are in memory (tmpfs), not on a
                     disk.  */
  bool known;     /* True if the member HUGE is valid.  A user who does not own
                     an image must read it to learn which of its pages are
                     huge.  */
};

/* Return a description of STATE, in static memory.  */
extern const char *store_state_words (const struct store_state *state);

/* Add STATE to JSON.  */
extern void store_state_json (const struct store_state *state,
                              struct json_object *json);

/* Find out the state of the store, and set STATE to it.  */
extern void store_state_read (struct store_state *state);

/* Set *HUGE to true if the kernel caches images of the store in huge pages,
   otherwise to false.  To test the kernel, the function makes a file of one
   block in the store's directory, lets the kernel cache the file like an
   image, and removes the file.  Only root can make the test.  On failure set
   PROBLEM and return false.  The test also fails if the huge pages of this
   kernel are too large for text, or if the file would use space that the store
   leaves free.  */
extern bool store_try (bool *huge, struct problem *problem);

/* The size of a buffer for store_remedy, in bytes.  */
#define STORE_REMEDY (2 * PATH_MAX + 192)

/* Set REMEDY, a buffer of SIZE bytes, to advice on how to let the kernel cache
   images of the store in huge pages.  Do not advise a tmpfs if the machine
   denies huge pages to each tmpfs.  */
extern void store_remedy (char *remedy, size_t size);

/* Print the images in the store as a table.  */
extern bool store_list (struct problem *problem);

#endif
