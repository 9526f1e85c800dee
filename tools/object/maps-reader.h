/* Objects that may look for their own path in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The text of an object with an image is mapped from the image, so that such
   an object would find the image's path. doc/experiments/maps-readers has the
   objects and the trials.  */

#ifndef MAPS_READER_H
#define MAPS_READER_H

#include "dl-hugetext-object.h"

/* The words found in an object.  */
struct maps_words
{
  size_t names; /* Number of times that the words name a process's maps.  */
  bool rust;    /* The object contains Rust's std, which names the maps
                   once.  */
};

/* Add the words that begin between FROM and TO in the SIZE bytes at DATA to
   WORDS.  The bytes before and behind only help to recognise a word.  */
extern void maps_reader_look (struct maps_words *words, const char *data,
                              size_t size, size_t from, size_t to);

/* Whether an object that has WORDS may look for its own path.  */
extern bool maps_reader_decide (const struct maps_words *words);

/* Return why the object with the file PATH may have an image although it names
   a process's maps, NULL if it may not.  */
extern const char *maps_reader_reviewed (const char *path);

/* Return why OBJECT, whose file is PATH and open as FD, must have no image: it
   may look for its own path in the maps.  NULL if it may have one.  */
extern const char *maps_reader_problem (int fd, const char *path,
                                        const struct hugetext_object *object);

#endif
