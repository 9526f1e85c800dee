/* Search a file for signs that an object looks for its own path in
   /proc/PID/maps, or that tools recognize the object in /proc/PID/maps by one
   of its functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If an object has an image, its text is mapped from the image, so an object
   that looks for its own path in /proc/self/maps would find the path of the
   image instead.  doc/experiments/maps-readers lists objects that look for
   their own path.  */

#ifndef MAPS_READER_H
#define MAPS_READER_H

#include "util/problem.h"
#include "object/elfobject.h"

/* Return false and set PROBLEM if OBJECT must not have an image, because it
   may look for its own path in /proc/PID/maps.  PATH is the path of the
   object's file, and FD its descriptor.  */
extern bool maps_reader_check (int fd, const char *path,
                               const struct hugetext_object *object,
                               struct problem *problem);

/* Set the members NEEDS_PATH and LOOKED_UP of ELF, which say whether text must
   stay mapped from the object's own file.  PATH is the path of the object's
   own file, and FD its descriptor.  */
extern void maps_reader_describe (int fd, const char *path,
                                  struct elf_object *elf);

#endif
