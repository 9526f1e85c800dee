/* The identity of a file, and the check that an image can be made of it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IDENTITY_H
#define IDENTITY_H

#include "dl-hugetext-index.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Return the identity of the file of STATUS.  */
extern struct hugetext_identity identity_of (const struct stat *status);

/* Return why the loader does not trust the file of STATUS where ROOT is root;
   NULL if it does.  */
extern const char *identity_problem (const struct stat *status, uid_t root);

/* Whether the loader relies on the filesystem of OBJECT, open as FD, of which
   IMAGE was made (elf/optional/dl-hugetext-store.c), where it may ask for
   that.  */
extern bool identity_is_relied_on (int fd,
                                   const struct hugetext_identity *object,
                                   const struct hugetext_identity *image);

/* Return why no image is made of the file FD, which has STATUS: it is not
   trusted, its filesystem gives it no identity, or it is sealed.  The kernel
   checks each page that it reads of a sealed file (fs-verity), and would not
   check the image; a filesystem with fs-verity has no huge pages for files, so
   that an image cannot be sealed, too (ext4, Linux 6.18).  NULL if one can be
   made.  */
extern const char *identity_source_problem (int fd, const struct stat *status);

#endif
