/* Open a file only if every user can read it (a public file).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_PUBLIC_H
#define IMAGE_PUBLIC_H

#include "util/problem.h"

#include "image/image.h"
#include "trust/trusted.h"

/* A function that opens files for a command of root that makes their contents
   or names readable for all users.  public_open opens a file only if
   trusted_open accepts the file and every user can read the file.  */
extern file_opener public_open;

/* Open PATH like public_open.  Set *ELF to true if the file begins like an ELF
   file, otherwise to false.  If this user is root, an unprivileged process
   reads the beginning of the file.  */
extern int public_open_object (const char *path, bool *elf,
                               struct problem *problem);

/* Open the object from which IMAGE was made.  IMAGE has been read from its
   file.  If the object's path now leads to another file, set PROBLEM and
   return -1.  */
extern int image_open_object (const struct image *image,
                              struct problem *problem);

#endif
