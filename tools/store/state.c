/* The state of the store: its images, and how much of them is cached in huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/state.h"
#include "host/filecache.h"
#include "text/json.h"
#include "util/terminal.h"
#include "util/count.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

bool
store_image_used (const struct stored *stored, const struct index_file *index,
                  struct problem *problem)
{
  struct hugetext_index_image record;
  const struct image_note *note = &stored->image.note;
  if (problem_is (&stored->problem))
    {
      *problem = stored->problem;
      return false;
    }
  if (!hugetext_index_image (&index->index, &note->object, note->block,
                             &record)
      || !hugetext_same_file (&record.image, &stored->image.identity)
      || strcmp (record.name, stored->path) != 0)
    return problem_set (problem, "the index has no record of the image");
  return true;
}

uint64_t
store_image_disk (const struct stored *stored)
{
  struct stat status;
  return stat (stored->path, &status) == 0 ? (uint64_t) status.st_blocks * 512
                                           : 0;
}

/* Add STORED to STATE.  */
static void
store_state_add_image (struct store_state *state, const struct stored *stored)
{
  const struct image_note *note = &stored->image.note;
  struct stat status;
  int fd = open (stored->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ++state->images;
  state->blocks += note->blocks;
  state->disk += store_image_disk (stored);
  state->known
      &= (fd >= 0 && fstat (fd, &status) == 0 && status.st_uid == geteuid ());
  for (size_t i = 0; state->known && i < image_span (note); ++i)
    if (image_has (note, i))
      state->huge += filecache_look (fd, note->offset + i * note->block).state
                     == PIECE_HUGE;
  if (fd >= 0)
    close (fd);
}

const char *
store_state_words (const struct store_state *state)
{
  static char text[PATH_MAX + 256];
  char cached[96] = "";
  if (state->known)
    snprintf (cached, sizeof cached, ", %zu of them cached in huge pages",
              state->huge);
  snprintf (text, sizeof text,
            "%s: " COUNT_FORMAT ", " COUNT_FORMAT "%s, %llu MiB %s",
            store_directory (), COUNT (state->images, "image"),
            COUNT (state->blocks, "block"), cached,
            (unsigned long long) (state->disk >> 20),
            state->in_memory ? "of memory, until the next boot" : "on disk");
  return text;
}

void
store_state_json (const struct store_state *state, struct json_object *json)
{
  json_set_string (json, "store", store_directory ());
  json_set_true_false (json, "in_memory", state->in_memory);
  json_set_number (json, "image_count", state->images);
  json_set_number (json, "blocks", state->blocks);
  if (state->known)
    json_set_number (json, "huge_blocks", state->huge);
  json_set_number (json, "disk", state->disk);
}

/* Initialize STATE for a store without images.  */
static void
store_state_begin_empty (struct store_state *state)
{
  struct statfs filesystem;
  *state = (struct store_state){ .known = true };
  state->in_memory = (statfs (store_directory (), &filesystem) == 0
                      && (filesystem.f_type == TMPFS_MAGIC
                          || filesystem.f_type == RAMFS_MAGIC));
}

void
store_state_read (struct store_state *state)
{
  struct store store;
  struct problem problem;
  store_state_begin_empty (state);
  store_read (&store, &problem);
  for (size_t i = 0; i < store.count; ++i)
    store_state_add_image (state, &store.files[i]);
  store_free (&store);
}

/* Print a line about STORED, one of the images in STATE.  If PROBLEM is set,
   also print the problem.  */
static void
show (const struct stored *stored, const struct store_state *state,
      const struct problem *problem)
{
  enum
  {
    NUMBERS = 15, /* The width of the columns with numbers.  */
  };
  const char *object
      = stored->image.object[0] != '\0' ? stored->image.object : stored->path;
  char huge[24] = "-", name[PATH_MAX];
  int columns = terminal_columns ();
  if (state->known)
    snprintf (huge, sizeof huge, "%zu", state->huge);
  printf ("%6zu %6s  %s", state->blocks, huge,
          terminal_tail (object, columns > NUMBERS ? columns - NUMBERS - 1 : 0,
                         name, sizeof name));
  /* On a terminal, print the problem on a line of its own.  */
  if (problem_is (problem))
    {
      printf (columns > 0 ? ":\n    " : ": ");
      terminal_fill (stdout, 4, 4, problem->text);
    }
  else
    putchar ('\n');
}

bool
store_list (struct problem *problem)
{
  struct store store;
  struct store_state all, one;
  struct index_file index;
  struct problem none;
  const bool good = store_read (&store, problem);
  store_state_begin_empty (&all);
  index_file_open_path (&index, INDEX_PATH, 0, &none);
  if (store.count > 0)
    puts ("BLOCKS   HUGE  OBJECT");
  for (size_t i = 0; i < store.count; ++i)
    {
      const struct stored *stored = &store.files[i];
      struct problem unused = { 0 };
      one = (struct store_state){ .known = true };
      store_state_add_image (&one, stored);
      store_state_add_image (&all, stored);
      store_image_used (stored, &index, &unused);
      show (stored, &one, &unused);
    }
  if (good)
    terminal_fill (stdout, 0, 4, store_state_words (&all));
  index_file_close (&index);
  store_free (&store);
  return good;
}
