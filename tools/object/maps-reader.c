/* Objects that may look for their own path in /proc/PID/maps: the search of
   their files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "object/maps-reader.h"
#include "dl-hugetext-maps-reader.h"

#include <errno.h>
#include <unistd.h>

/* The size of one read, and the maximum size of an object, in bytes.  */
#define PIECE ((size_t) 32 << 10)
#define LIMIT ((uint64_t) 8 << 30)

/* Read the file CLOSURE: a callback of struct hugetext_maps_search.  */
static long int
read_file (void *closure, char *buffer, size_t length, uint64_t offset)
{
  const int *fd = closure;
  ssize_t n;
  do
    n = pread (*fd, buffer, length, offset);
  while (n < 0 && errno == EINTR);
  return n;
}

const char *
maps_reader_problem (int fd, const char *path,
                     const struct hugetext_object *object)
{
  char buffer[HUGETEXT_MAPS_BEFORE + PIECE + HUGETEXT_MAPS_BEHIND];
  const struct hugetext_maps_search search = { .read = read_file,
                                               .closure = &fd,
                                               .buffer = buffer,
                                               .size = sizeof buffer,
                                               .limit = LIMIT,
                                               .image = true };
  if (hugetext_maps_reviewed (path) != NULL)
    return NULL;
  switch (hugetext_maps_search (object, &search))
    {
    case HUGETEXT_MAPS_READER:
      return "it may look for its own path in /proc/self/maps";
    case HUGETEXT_MAPS_TOO_LARGE:
      return "it is too large to be searched for /proc/self/maps";
    case HUGETEXT_MAPS_UNREADABLE:
      return "it cannot be searched for /proc/self/maps";
    default:
      return NULL;
    }
}
