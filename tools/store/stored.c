/* Look up a file in the index: its image and its heat.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The checks of images and heat are the same as in
   elf/optional/dl-hugetext-store.c and dl-hugetext-heat.c.  The function for
   heat answers the question of elf/core/dl-hugetext-place.c whether heat
   decides the address of an object.  */

#include "store/stored.h"
#include "host/procmaps.h"
#include "index/file.h"
#include "trust/identity.h"
#include "util/allocate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set *IDENTITY to the identity of the file FD.  Return true if the file is
   trusted.  */
static bool
stored_identify_file (int fd, struct hugetext_identity *identity)
{
  struct problem problem;
  struct stat status;
  if (fstat (fd, &status) != 0 || !identity_check (&status, 0, &problem))
    return false;
  *identity = identity_of (&status);
  return true;
}

bool
stored_image (int fd, const struct hugetext_object *object,
              struct hugetext_index_image *image)
{
  struct problem problem;
  struct hugetext_identity identity, found;
  struct index_file file;
  if (!stored_identify_file (fd, &identity)
      || hugetext_is_anonymous (&identity)
      || !index_file_open_path (&file, INDEX_PATH, 0, &problem))
    return false;
  bool good = (hugetext_index_image (&file.index, &identity, procmaps_block (),
                                     image)
               && image->digest == hugetext_object_digest (object));
  index_file_close (&file);
  int image_fd
      = good ? open (image->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (image_fd < 0)
    return false;
  good = (stored_identify_file (image_fd, &found)
          && hugetext_same_file (&found, &image->image)
          && identity_is_relied_on (fd, &identity, &found));
  close (image_fd);
  return good;
}

void
heat_read (struct heat *heat, const char *path, int fd,
           const struct hugetext_object *object)
{
  struct index_file file;
  struct problem none;
  struct stat status;
  struct hugetext_index_image image;
  uint16_t *weight = calloc (HUGETEXT_HEAT_GRANULES, sizeof *weight);
  *heat = (struct heat){ 0 };
  if (weight == NULL || fstat (fd, &status) != 0)
    {
      free (weight);
      return;
    }
  const struct hugetext_identity identity = identity_of (&status);
  index_file_open_path (&file, path != NULL ? path : INDEX_PATH,
                        path != NULL ? getuid () : 0, &none);
  if (hugetext_index_heat (&file.index, &identity, &heat->record, weight,
                           HUGETEXT_HEAT_GRANULES)
      && (object == NULL
          || heat->record.digest == hugetext_object_digest (object)))
    heat->plan = (struct plan_heat){
      .heat = { .first = heat->record.first,
                .granules = heat->record.granules,
                .weight = weight },
      .stays
      = (path == NULL && object != NULL && stored_image (fd, object, &image)),
    };
  else
    free (weight);
  index_file_close (&file);
}

void
heat_free (struct heat *heat)
{
  free ((void *) heat->plan.heat.weight);
  heat->plan.heat.weight = NULL;
}

void
heat_add_blocks (struct heat_blocks *blocks, const struct heat *heat)
{
  const struct hugetext_heat *from = &heat->plan.heat;
  const size_t granules = procmaps_block () / HUGETEXT_GRANULE;
  uint64_t last = UINT64_MAX;
  for (size_t i = 0; from->weight != NULL && i < from->granules; ++i)
    {
      const uint64_t block = (from->first / HUGETEXT_GRANULE + i) / granules;
      if (from->weight[i] == 0)
        continue;
      if (block != last)
        {
          blocks->heat = allocate_more (blocks->heat, blocks->count,
                                        sizeof *blocks->heat);
          blocks->heat[blocks->count++] = 0;
          last = block;
        }
      blocks->heat[blocks->count - 1] += from->weight[i];
    }
}

static int
by_heat (const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  return (x < y) - (x > y);
}

size_t
heat_count_hot (struct heat_blocks *blocks)
{
  uint64_t all = 0, sum = 0;
  size_t n = 0;
  if (blocks->count > 0)
    qsort (blocks->heat, blocks->count, sizeof *blocks->heat, by_heat);
  for (size_t i = 0; i < blocks->count; ++i)
    all += blocks->heat[i];
  while (n < blocks->count && 10 * sum < 9 * all)
    sum += blocks->heat[n++];
  free (blocks->heat);
  *blocks = (struct heat_blocks){ .heat = NULL };
  return n;
}
