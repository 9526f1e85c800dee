/* The image of a file that the loader would use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORED_H
#define STORED_H

#include "dl-hugetext-index.h"
#include "dl-hugetext-object.h"

/* Return why the loader would not take an image of OBJECT, whose file is open
   as FD, in static memory; NULL if it would: then IMAGE is its record.  The
   record has no kind if the index has no image of the present file.  */
extern const char *stored_problem (int fd,
                                   const struct hugetext_object *object,
                                   union hugetext_index_buffer *image);

/* Whether the loader would take an image of OBJECT.  */
extern bool stored_image (int fd, const struct hugetext_object *object,
                          union hugetext_index_buffer *image);

#endif
