/* The reason why an object has no image, where the store is in use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/no-image.h"
#include "image/folder.h"
#include "object/maps-reader.h"
#include "store/place.h"
#include "store/stored.h"
#include "trust/identity.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether there is a store.  */
static bool
is_kept (void)
{
  char folder[PATH_MAX];
  store_path (INDEX_PATH, folder);
  return access (folder, F_OK) == 0;
}

/* Whether there is an image that was made from the file NAME.  */
static bool
is_made (const char *name)
{
  char real[PATH_MAX], folder[PATH_MAX], image[NAME_MAX];
  char path[PATH_MAX + NAME_MAX + 1];
  if (realpath (name, real) == NULL)
    return false;
  store_path (INDEX_PATH, folder);
  store_name (real, image);
  snprintf (path, sizeof path, "%s/%s", folder, image);
  return access (path, F_OK) == 0;
}

/* Return why no image is ever made of the file NAME, open as FD and described
   by OBJECT; NULL if one may be.  */
static const char *
why_never (int fd, const char *name, const struct hugetext_object *object)
{
  struct stat status;
  const char *problem = fstat (fd, &status) == 0
                            ? identity_filesystem_problem (fd, &status)
                            : NULL;
  if (problem == NULL)
    problem = identity_seal_problem (fd);
  return problem != NULL ? problem : maps_reader_problem (fd, name, object);
}

void
no_image_reason (int fd, const char *name,
                 const struct hugetext_object *object,
                 const struct settings *settings, char text[static 192])
{
  union hugetext_index_buffer image;
  uint64_t backing = settings_value (settings, SETTING_BACKING);
  text[0] = '\0';
  if (backing != HUGETEXT_AUTO && backing != HUGETEXT_STORE)
    return;
  const char *problem = stored_problem (fd, object, &image), *remedy;
  if (problem == NULL)
    {
      problem = store_place_problem (image.image.name, &remedy);
      snprintf (text, 192, "%s", problem != NULL ? problem : "");
      return;
    }
  const char *never = is_kept () ? why_never (fd, name, object) : NULL;
  if (never != NULL)
    snprintf (text, 192, "%s", never);
  else if (image.head.kind != 0 || is_made (name))
    snprintf (text, 192, "%s (hugetext store add %s)", problem, name);
}
