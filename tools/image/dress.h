/* The ELF parts of an image: headers, notes, symbols, sections.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_DRESS_H
#define IMAGE_DRESS_H

#include "image/image.h"

/* The bytes before the data, from the beginning of the file, and the bytes
   behind it.  The caller frees them.  */
struct image_dress
{
  char *head, *tail;
  size_t head_size, tail_size;
};

/* Make DRESS for the image NOTE of the object PATH, which is open as FD.
   Complete NOTE: its path, size and check.  Return NULL, or what is wrong.  */
extern const char *image_dress (int fd, const char *path,
                                struct image_note *note,
                                struct image_dress *dress);

extern void image_dress_free (struct image_dress *dress);

#endif
