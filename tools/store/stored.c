/* The images that the loader would take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The questions are those of elf/dl-hugetext-store.c.  */

#include "store/stored.h"
#include "host/procmaps.h"
#include "index/file.h"
#include "trust/identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set *IDENTITY to the identity of the file FD.  Return whether the file is
   trusted.  */
static bool
identify (int fd, struct hugetext_identity *identity)
{
  struct stat status;
  if (fstat (fd, &status) != 0 || identity_problem (&status, 0) != NULL)
    return false;
  *identity = identity_of (&status);
  return true;
}

bool
stored_image (int fd, const struct hugetext_object *object,
              union hugetext_index_buffer *image)
{
  struct hugetext_identity identity;
  struct index_file file;
  if (!identify (fd, &identity) || hugetext_is_anonymous (&identity)
      || index_file_open_path (&file, INDEX_PATH, 0) != NULL)
    return false;
  bool good = (hugetext_index_image (&file.index, &identity, procmaps_block (),
                                     image)
               && image->image.digest == hugetext_object_digest (object));
  index_file_close (&file);
  int image_fd
      = good ? open (image->image.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
             : -1;
  if (image_fd < 0)
    return false;
  good = (identify (image_fd, &identity)
          && hugetext_same_file (&identity, &image->image.image));
  close (image_fd);
  return good;
}
