/* The image of a file that the loader would use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Asked as elf/dl-hugetext-store.c does.  */

#include "stored.h"
#include "identity.h"
#include "index-file.h"
#include "procmaps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set *IDENTITY to that of the file FD.  False if it is not to be trusted.  */
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
  if (!identify (fd, &identity)
      || index_file_open (&file, open (INDEX_PATH, O_RDONLY | O_CLOEXEC
                                                       | O_NONBLOCK), 0)
             != NULL)
    return false;
  bool good
      = (hugetext_index_image (&file.index, &identity, procmaps_block (),
                               image)
         && image->image.digest == hugetext_object_digest (object));
  index_file_close (&file);
  if (!good)
    return false;
  int stored = open (image->image.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (stored < 0)
    return false;
  good = (identify (stored, &identity)
          && hugetext_same_file (&identity, &image->image.image));
  close (stored);
  return good;
}
