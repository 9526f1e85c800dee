/* What there is in the store, and removing what is of no use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store-list.h"
#include "json.h"
#include "store-state.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Put the build ID of STORED's object, in hexadecimal, into TEXT.  */
static void
print_build_id (const struct stored *stored,
                char text[static 2 * IMAGE_BUILD_ID_MAX + 1])
{
  const struct image_note *note = &stored->image.note;
  text[0] = '\0';
  for (uint32_t i = 0; i < note->build_id_size; i++)
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
    NUMBERS = 35, /* Columns of these.  */
  };
  char huge[24] = "-", name[PATH_MAX];
  int columns = terminal_columns ();
  if (cached->known)
    snprintf (huge, sizeof huge, "%zu", cached->huge);
  printf ("%-12.12s %6u %6llu %6s  %s%s", id, note->blocks,
          (unsigned long long)(note->blocks * note->block >> 20), huge,
          terminal_tail (stored->image.object[0] != '\0' ? stored->image.object
                                                       : stored->path,
                         columns > NUMBERS ? columns - NUMBERS - 1 : 0, name,
                         sizeof name),
          problem != NULL ? ":" : "\n");
  /* On a terminal, in a line of its own.  */
  if (problem != NULL)
    {
      fputs (columns > 0 ? "\n    " : " ", stdout);
      terminal_fill (stdout, 4, 4, problem);
    }
}

/* Of the JSON: keys may be added to a version, but none goes, and none
   changes what it means.  */
#define VERSION 1

void
store_list (const struct store *store, const char *path, bool json)
{
  struct store_index index;
  struct store_state state;
  struct json_object *array = json_object_new_array ();
  store_index_open (&index, path);
  store_state_begin (&state, store);
  if (!json && store->count > 0)
    printf ("%-12s %6s %6s %6s  %s\n", "BUILD-ID", "BLOCKS", "MIB", "HUGE",
            "OBJECT");
  for (size_t i = 0; i < store->count; i++)
    {
      const struct stored *stored = &store->files[i];
      const char *problem = store_image_problem (stored, &index);
      char id[2 * IMAGE_BUILD_ID_MAX + 1];
      struct image_cached cached = store_image_cached (stored);
      print_build_id (stored, id);
      store_state_add (&state, stored, &cached);
      if (json)
        json_object_array_add (array, json_of (stored, problem, id, &cached));
      else
        print_line (stored, problem, id, &cached);
    }
  if (json)
    {
      struct json_object *object = json_object_new_object ();
      json_set_number (object, "version", VERSION);
      store_state_json (&state, object);
      json_object_object_add (object, "images", array);
      json_print (stdout, object, false);
    }
  else
    {
      terminal_fill (stdout, 0, 4, store_state_words (&state));
      json_object_put (array);
    }
  store_index_close (&index);
}

/* Why STORED is to go, NULL if it is to stay.  */
static const char *
reason_to_go (const struct stored *stored, const struct store_users *users)
{
  const char *object = stored->image.object;
  if (stored->problem != NULL)
    return stored->problem;
  return (store_users_have (users, object, false)
                  && !store_users_have (users, object, true)
              ? "what it was made for is not enabled any more"
              : NULL);
}

void
store_gc (const struct store *store, const struct store_users *users,
          bool brief, objects_say *say)
{
  size_t count = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < store->count; i++)
    {
      const struct stored *stored = &store->files[i];
      const char *reason = reason_to_go (stored, users);
      uint64_t disk = store_image_disk (stored);
      if (reason == NULL)
        continue;
      /* Whatever that is, it is not ours.  */
      if (stored->image.note.version == 0)
        say (stored->path, reason);
      else if (unlink (stored->path) != 0)
        say (stored->path, strerror (errno));
      else
        {
          count++;
          bytes += disk;
          printf ("%s: %s\n",
                  stored->image.object[0] != '\0' ? stored->image.object
                                                  : stored->path,
                  reason);
        }
    }
  store_users_forget (users, store->path);
  if (!brief)
    printf ("%s: %zu images removed (%llu MiB)\n", store->path, count,
            (unsigned long long)(bytes >> 20));
}
