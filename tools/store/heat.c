/* The heat of a file that the loader would know.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The question is elf/dl-hugetext-heat.c's; whether the place depends on heat
   is decided as in elf/dl-hugetext-choose.c.  */

#include "store/heat.h"
#include "index/file.h"
#include "store/stored.h"
#include "trust/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Do the work of heat_read with an open index.  */
static bool
find (struct heat *heat, const struct index_file *file, int fd,
      const struct hugetext_object *object, uint16_t *weight)
{
  struct stat status;
  if (file->index.header.heats == 0 || fstat (fd, &status) != 0)
    return false;
  const struct hugetext_identity identity = identity_of (&status);
  return (hugetext_index_heat (&file->index, &identity, &heat->record, weight,
                               HUGETEXT_HEAT_GRANULES)
          && (object == NULL
              || heat->record.digest == hugetext_object_digest (object)));
}

/* Open the index PATH, or the loader's if PATH is NULL.  False if there is no
   index.  */
static bool
open_index (struct index_file *file, const char *path)
{
  return index_file_open_path (file, path != NULL ? path : INDEX_PATH,
                               path != NULL ? getuid () : 0)
         == NULL;
}

void
heat_read (struct heat *heat, const char *path, int fd,
           const struct hugetext_object *object)
{
  struct index_file file;
  union hugetext_index_buffer image;
  *heat = (struct heat){ 0 };
  if (!open_index (&file, path))
    return;
  uint16_t *weight = calloc (HUGETEXT_HEAT_GRANULES, sizeof *weight);
  if (weight != NULL && find (heat, &file, fd, object, weight))
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
