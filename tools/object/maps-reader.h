/* Objects that may look for their own path in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Text of an image is mapped from the image, so that is the path which such
   an object would find.  Who they are, and what was tried, is in
   doc/experiments/maps-readers.  */

#ifndef MAPS_READER_H
#define MAPS_READER_H

#include "dl-hugetext-object.h"

/* The words found in an object.  */
struct maps_words
{
  size_t names; /* So often they name a process' maps.  */
  bool rust;    /* Rust's std is there, which does so once.  */
};

/* Add to WORDS what the SIZE bytes at DATA have between FROM and TO.  What is
   in front of that and behind is only looked at to tell what it is.  */
extern void maps_reader_look (struct maps_words *words, const char *data,
                              size_t size, size_t from, size_t to);

/* Whether an object that has WORDS may look for its own path.  */
extern bool maps_reader_decide (const struct maps_words *words);

/* Why an object whose file is PATH may have an image although it names a
   process' maps, NULL if it may not.  */
extern const char *maps_reader_reviewed (const char *path);

/* Why OBJECT, whose file is PATH and open as FD, is to have no image: it may
   look for its own path there.  NULL if it may have one.  */
extern const char *maps_reader_problem (int fd, const char *path,
                                        const struct hugetext_object *object);

#endif
