/* The image of a file that the loader would use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORED_H
#define STORED_H

#include "dl-hugetext-index.h"
#include "dl-hugetext-object.h"

/* Why the loader would not take an image of OBJECT, whose file is open as FD,
   in static memory; NULL if it would: then IMAGE is its record.  That has no
   kind if the index knows none of the file as it is.  */
extern const char *stored_problem (int fd,
                                   const struct hugetext_object *object,
                                   union hugetext_index_buffer *image);

/* Whether it would.  */
extern bool stored_image (int fd, const struct hugetext_object *object,
                          union hugetext_index_buffer *image);

#endif
