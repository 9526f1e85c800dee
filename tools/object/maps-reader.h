/* Objects that may search for their own path in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The text of an object with an image is mapped from the image, so such an
   object would find the image's path.  doc/experiments/maps-readers has the
   objects and the measurements.  */

#ifndef MAPS_READER_H
#define MAPS_READER_H

#include "dl-hugetext-object.h"

/* Return why OBJECT, whose file is PATH and open as FD, must not have an
   image: it may search for its own path in the maps.  NULL if it may have
   one.  */
extern const char *maps_reader_problem (int fd, const char *path,
                                        const struct hugetext_object *object);

#endif
