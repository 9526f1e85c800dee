/* The identity of a file, and the check whether an image can be made of it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IDENTITY_H
#define IDENTITY_H

#include "util/problem.h"
#include "dl-hugetext-index.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Return the identity of the file that STATUS describes.  */
extern struct hugetext_identity identity_of (const struct stat *status);

/* Return false if the loader does not trust the file that STATUS describes,
   where the user ID of root is ROOT.  */
extern bool identity_check (const struct stat *status, uid_t root,
                            struct problem *problem);

/* Whether the loader relies on the filesystem of OBJECT, open as FD, from
   which IMAGE was made (elf/optional/dl-hugetext-store.c), if the loader may
   call statfs.  */
extern bool identity_is_relied_on (int fd,
                                   const struct hugetext_identity *object,
                                   const struct hugetext_identity *image);

/* Return false if no image can be made of the file FD, which has STATUS: the
   file is not trusted, its filesystem gives it no identity, or it is sealed
   (fs-verity).  The kernel checks each page that it reads of a sealed file,
   and would not check the image.  The image cannot be sealed either, because
   a filesystem with fs-verity has no huge pages for files (ext4, Linux
   6.18).  */
extern bool identity_check_source (int fd, const struct stat *status,
                                   struct problem *problem);

#endif
