/* What the store holds, and how the page cache has it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store-state.h"
#include "filecache.h"
#include "json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
store_index_open (struct store_index *index, const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  index->open = index_file_open (&index->file, fd, 0) == NULL;
}

void
store_index_close (struct store_index *index)
{
  if (index->open)
    index_file_close (&index->file);
}

const char *
store_image_problem (const struct stored *stored,
                     const struct store_index *index)
{
  union hugetext_index_buffer record;
  const struct image_note *note = &stored->image.note;
  if (stored->problem != NULL)
    return stored->problem;
  if (!index->open
      || !hugetext_index_image (&index->file.index, &note->object,
                                note->block, &record)
      || !hugetext_same_file (&record.image.image, &stored->image.identity)
      || strcmp (record.image.name, stored->path) != 0)
    return "the index does not know it";
  return NULL;
}

/* Bytes of the file FD in the page cache.  */
static uint64_t
cached_bytes (int fd)
{
  size_t pages, n = 0;
  unsigned char *vector = filecache_note (fd, &pages);
  for (size_t i = 0; vector != NULL && i < pages; i++)
    n += vector[i] & 1;
  free (vector);
  return (uint64_t)n * getpagesize ();
}

struct image_cached
store_image_cached (const struct stored *stored)
{
  const struct image_note *note = &stored->image.note;
  struct image_cached cached = { .known = false };
  struct stat status;
  int fd = open (stored->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return cached;
  cached.known = fstat (fd, &status) == 0 && status.st_uid == geteuid ();
  for (size_t i = 0; cached.known && i < image_span (note); i++)
    if (image_has (note, i))
      switch (filecache_look (fd, note->offset + i * note->block, NULL).state)
        {
        case PIECE_HUGE:
          cached.huge++;
          break;
        case PIECE_PARTLY:
          cached.partly++;
          break;
        case PIECE_UNREAD:
          cached.unread++;
          break;
        default:
          cached.small++;
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
  return stat (stored->path, &status) == 0
             ? (uint64_t)status.st_blocks * 512
             : 0;
}

void
store_state_begin (struct store_state *state, const struct store *store)
{
  *state = (struct store_state){ .path = store->path, .known = true };
  machine_filesystem (store->path, &state->filesystem);
}

void
store_state_add (struct store_state *state, const struct stored *stored,
                 const struct image_cached *cached)
{
  state->images++;
  state->blocks += stored->image.note.blocks;
  state->huge += cached->huge;
  state->disk += store_image_disk (stored);
  state->cached += cached->bytes;
  state->known = state->known && cached->known;
}

/* Whether STATE's images take memory, and nothing on a disk.  */
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
            (unsigned long long)(state->disk >> 20), place);
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
  store_state_begin (state, store);
  for (size_t i = 0; i < store->count; i++)
    {
      struct image_cached cached = store_image_cached (&store->files[i]);
      store_state_add (state, &store->files[i], &cached);
    }
  return problem;
}
