/* Objects that may search for their own path in /proc/PID/maps, and objects
   that tools look for there by a function.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The text of an object with an image is mapped from the image, so an object
   that searches the maps would find the image's path.
   doc/experiments/maps-readers has the objects and the measurements.  */

#ifndef MAPS_READER_H
#define MAPS_READER_H

#include "util/problem.h"
#include "object/elfobject.h"

/* Return false if OBJECT must not have an image: it may search for its own
   path in /proc/PID/maps.  The object's file is PATH, open as FD.  */
extern bool maps_reader_check (int fd, const char *path,
                               const struct hugetext_object *object,
                               struct problem *problem);

/* Set in ELF what of its file, PATH, open as FD, must keep its path: the
   members NEEDS_PATH and LOOKED_UP.  */
extern void maps_reader_describe (int fd, const char *path,
                                  struct elf_object *elf);

#endif
