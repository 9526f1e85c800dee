/* The images that the loader would take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORED_H
#define STORED_H

#include "dl-hugetext-index.h"
#include "dl-hugetext-object.h"

/* Whether the loader would take an image of OBJECT, whose file is open as FD;
   then IMAGE is its record.  */
extern bool stored_image (int fd, const struct hugetext_object *object,
                          union hugetext_index_buffer *image);

#endif
