/* The contents of the store, and their state in the page cache.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/state.h"
#include "host/filecache.h"
#include "text/json.h"
#include "util/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *
store_image_problem (const struct stored *stored,
                     const struct index_file *index)
{
  union hugetext_index_buffer record;
  const struct image_note *note = &stored->image.note;
  if (stored->problem != NULL)
    return stored->problem;
  if (!hugetext_index_image (&index->index, &note->object, note->block,
                             &record)
      || !hugetext_same_file (&record.image.image, &stored->image.identity)
      || strcmp (record.image.name, stored->path) != 0)
    return "the index does not know it";
  return NULL;
}

/* Return the bytes of the file FD in the page cache.  */
static uint64_t
cached_bytes (int fd)
{
  size_t pages, n = 0;
  unsigned char *vector = filecache_note (fd, &pages);
  for (size_t i = 0; vector != NULL && i < pages; ++i)
    n += vector[i] & 1;
  free (vector);
  return (uint64_t) n * getpagesize ();
}

/* Return the state of STORED in the page cache.  */
static struct image_cached
look_at (const struct stored *stored)
{
  const struct image_note *note = &stored->image.note;
  struct image_cached cached = { .known = false };
  struct stat status;
  int fd = open (stored->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return cached;
  cached.known = fstat (fd, &status) == 0 && status.st_uid == geteuid ();
  for (size_t i = 0; cached.known && i < image_span (note); ++i)
    if (image_has (note, i))
      switch (filecache_look (fd, note->offset + i * note->block).state)
        {
        case PIECE_HUGE:
          ++cached.huge;
          break;
        case PIECE_PARTLY:
          ++cached.partly;
          break;
        case PIECE_UNREAD:
          ++cached.unread;
          break;
        default:
          ++cached.small;
        }
  if (cached.known)
    cached.bytes = cached_bytes (fd);
  close (fd);
  return cached;
}

uint64_t
store_image_disk (const struct stored *stored)
{
  struct stat status;
  return stat (stored->path, &status) == 0 ? (uint64_t) status.st_blocks * 512
                                           : 0;
}

/* Whether STATE's images are in memory, and on no disk.  */
static bool
in_memory (const struct store_state *state)
{
  return (strcmp (state->filesystem.type, "tmpfs") == 0
          || strcmp (state->filesystem.type, "ramfs") == 0);
}

const char *
store_state_words (const struct store_state *state)
{
  static char text[PATH_MAX + 256];
  char cached[96] = "", place[80] = "on disk";
  if (state->known)
    snprintf (cached, sizeof cached,
              ", %zu of them cached in huge pages, %.1f MiB of page cache",
              state->huge, state->cached / 1048576.0);
  if (in_memory (state))
    snprintf (place, sizeof place, "of memory, until the next boot (%s)",
              state->filesystem.type);
  snprintf (text, sizeof text, "%s: %zu images, %zu blocks%s, %llu MiB %s",
            state->path, state->images, state->blocks, cached,
            (unsigned long long) (state->disk >> 20), place);
  return text;
}

void
store_state_json (const struct store_state *state, struct json_object *json)
{
  json_set_string (json, "store", state->path);
  json_set_string (json, "filesystem",
                   state->filesystem.type[0] != '\0' ? state->filesystem.type
                                                     : NULL);
  json_set_true_false (json, "in_memory", in_memory (state));
  json_set_number (json, "image_count", state->images);
  json_set_number (json, "blocks", state->blocks);
  if (state->known)
    {
      json_set_number (json, "huge_blocks", state->huge);
      json_set_number (json, "cached_bytes", state->cached);
    }
  json_set_number (json, "disk", state->disk);
}

const char *
store_state_read (struct store_state *state, struct store *store,
                  const char *path)
{
  const char *problem = store_read (store, path);
  *state = (struct store_state){ .path = store->path,
                                 .images = store->count,
                                 .known = true };
  machine_filesystem (store->path, &state->filesystem);
  state->cached_of = calloc (store->count + 1, sizeof *state->cached_of);
  if (state->cached_of == NULL)
    return strerror (ENOMEM);
  for (size_t i = 0; i < store->count; ++i)
    {
      const struct stored *stored = &store->files[i];
      const struct image_cached cached = look_at (stored);
      state->cached_of[i] = cached;
      state->blocks += stored->image.note.blocks;
      state->huge += cached.huge;
      state->disk += store_image_disk (stored);
      state->cached += cached.bytes;
      state->known &= cached.known;
    }
  return problem;
}

void
store_state_free (struct store_state *state)
{
  free (state->cached_of);
}

/* Put the build ID of STORED's object, in hexadecimal, into TEXT.  */
static void
print_build_id (const struct stored *stored,
                char text[static 2 * IMAGE_BUILD_ID_MAX + 1])
{
  const struct image_note *note = &stored->image.note;
  text[0] = '\0';
  for (uint32_t i = 0; i < note->build_id_size; ++i)
    sprintf (text + 2 * i, "%02x", note->build_id[i]);
}

static struct json_object *
json_of (const struct stored *stored, const char *problem, const char *id,
         const struct image_cached *cached)
{
  struct json_object *object = json_object_new_object ();
  const struct image_note *note = &stored->image.note;
  json_set_string (object, "image", stored->path);
  json_set_true_false (object, "used", problem == NULL);
  if (problem != NULL)
    json_set_string (object, "problem", problem);
  if (stored->image.object[0] == '\0')
    return object;
  json_set_string (object, "object", stored->image.object);
  json_set_string (object, "build_id", id);
  json_set_number (object, "blocks", note->blocks);
  json_set_number (object, "bytes", note->blocks * note->block);
  json_set_number (object, "disk", store_image_disk (stored));
  if (!cached->known)
    return object;
  struct json_object *cache = json_object_new_object ();
  json_set_number (cache, "huge", cached->huge);
  json_set_number (cache, "small", cached->small);
  json_set_number (cache, "partly", cached->partly);
  json_set_number (cache, "unread", cached->unread);
  json_object_object_add (object, "cached_blocks", cache);
  json_set_number (object, "cached_bytes", cached->bytes);
  return object;
}

/* Print a line about STORED.  */
static void
print_line (const struct stored *stored, const char *problem, const char *id,
            const struct image_cached *cached)
{
  const struct image_note *note = &stored->image.note;
  enum
  {
    NUMBERS = 35, /* Columns of the numbers.  */
  };
  char huge[24] = "-", name[PATH_MAX];
  int columns = terminal_columns ();
  if (cached->known)
    snprintf (huge, sizeof huge, "%zu", cached->huge);
  printf ("%-12.12s %6u %6llu %6s  %s%s", id, note->blocks,
          (unsigned long long) (note->blocks * note->block >> 20), huge,
          terminal_tail (stored->image.object[0] != '\0' ? stored->image.object
                                                         : stored->path,
                         columns > NUMBERS ? columns - NUMBERS - 1 : 0, name,
                         sizeof name),
          problem != NULL ? ":" : "\n");
  /* On a terminal the problem has a line of its own.  */
  if (problem != NULL)
    {
      fputs (columns > 0 ? "\n    " : " ", stdout);
      terminal_fill (stdout, 4, 4, problem);
    }
}

const char *
store_list (const char *folder, const char *path, bool json,
            struct json_object *all)
{
  struct store store;
  struct store_state state;
  struct index_file index;
  struct json_object *array = json_object_new_array ();
  const char *wrong = store_state_read (&state, &store, folder);
  index_file_open_path (&index, path, 0);
  if (!json && wrong == NULL && store.count > 0)
    printf ("%-12s %6s %6s %6s  %s\n", "BUILD-ID", "BLOCKS", "MIB", "HUGE",
            "OBJECT");
  for (size_t i = 0; wrong == NULL && i < store.count; ++i)
    {
      const struct stored *stored = &store.files[i];
      const char *problem = store_image_problem (stored, &index);
      char id[2 * IMAGE_BUILD_ID_MAX + 1];
      print_build_id (stored, id);
      if (json)
        json_object_array_add (
            array, json_of (stored, problem, id, &state.cached_of[i]));
      else
        print_line (stored, problem, id, &state.cached_of[i]);
    }
  store_state_json (&state, all);
  json_object_object_add (all, "images", array);
  if (!json && wrong == NULL)
    terminal_fill (stdout, 0, 4, store_state_words (&state));
  index_file_close (&index);
  store_state_free (&state);
  store_free (&store);
  return wrong;
}
