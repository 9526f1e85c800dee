/* Open a file only if every user can read it (a public file).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_PUBLIC_H
#define IMAGE_PUBLIC_H

#include "util/problem.h"

#include "image/image.h"
#include "trust/trusted.h"

/* The function for opening files whose contents or names root makes readable
   for all users.  public_open opens a file only if trusted_open accepts the
   file and every user can read it.  */
extern file_opener public_open;

/* Open PATH as public_open does; PATH may be an object.  Set ELF to whether
   the file begins as an ELF file does.  If this user is root, another process
   reads the file for this check.  */
extern int public_open_object (const char *path, bool *elf,
                               struct problem *problem);

/* Open the object from which IMAGE was made.  IMAGE has been read from its
   file.  If the object's path now leads to another file, set PROBLEM and
   return -1.  */
extern int image_open_object (const struct image *image,
                              struct problem *problem);

#endif
