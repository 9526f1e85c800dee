/* Public files: the opening of files that every user can read.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_PUBLIC_H
#define IMAGE_PUBLIC_H

#include "image/image.h"
#include "trust/trusted.h"

/* The opener for files whose contents or names root makes readable for all
   users: those that trusted_open would open, if every user can read them.  */
extern file_opener public_open;

/* The same for a file that may be an object; set ELF to whether it begins as
   an ELF file does: root reads nothing of it.  */
extern int public_open_object (const char *path, bool *elf,
                               const char **problem);

/* Open the object of IMAGE, which has been read.  Return -1, and set *PROBLEM,
   if it is not the file of which the image was made.  */
extern int image_open_object (const struct image *image, const char **problem);

#endif
