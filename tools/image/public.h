/* Public files: opens files that every user can read.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_PUBLIC_H
#define IMAGE_PUBLIC_H

#include "util/problem.h"

#include "image/image.h"
#include "trust/trusted.h"

/* The opener for files whose contents or names root makes readable for all
   users: it opens a file that trusted_open accepts, if every user can read the
   file.  */
extern file_opener public_open;

/* Open PATH as public_open does, for a file that may be an object; set ELF to
   whether it begins like an ELF file.  Root does not read its contents.  */
extern int public_open_object (const char *path, bool *elf,
                               struct problem *problem);

/* Open the object of IMAGE.  IMAGE must have been read.  If it is not the file
   from which the image was made, return -1 and set PROBLEM.  */
extern int image_open_object (const struct image *image,
                              struct problem *problem);

#endif
