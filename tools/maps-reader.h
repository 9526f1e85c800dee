/* Objects that may look for their own path in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Text of an image is mapped from the image, so that is the path which such
   an object would find.  Who they are, and what was tried, is in
   doc/experiments/maps-readers.  */

#ifndef MAPS_READER_H
#define MAPS_READER_H

#include "dl-hugetext-object.h"

/* Whether the SIZE bytes at DATA, a piece of a file, name a process' maps, in
   words that begin not less than MAPS_READER_MARGIN bytes before their end,
   or else are in the next piece, too.  */
#define MAPS_READER_MARGIN 32
extern bool maps_reader_named (const char *data, size_t size);

/* Why an object whose file is PATH may have an image although it names a
   process' maps, NULL if it may not.  */
extern const char *maps_reader_reviewed (const char *path);

/* Why OBJECT, whose file is PATH and open as FD, is to have no image: it may
   look for its own path there.  NULL if it may have one.  */
extern const char *maps_reader_problem (int fd, const char *path,
                                        const struct hugetext_object *object);

#endif
