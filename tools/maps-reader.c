/* Objects that may look for their own path in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What an object does with that file its bytes do not tell, only that it
   names it.  So an object that does has no image, unless somebody has read
   what it does (maps-reviewed.h).  */

#include "maps-reader.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

/* So much is read at once, and of an object.  */
#define PIECE ((size_t)256 << 10)
#define LIMIT ((uint64_t)8 << 30)

static const char word[] = "/maps";
#define LENGTH (sizeof word - 1)

/* Whether what ends before AT, not before START, is a conversion of printf's,
   as in /proc/%d/maps.  */
static bool
is_conversion (const char *start, const char *at)
{
  size_t letters = 0;
  while (at > start && letters < 4 && islower ((unsigned char)at[-1]))
    {
      at--;
      letters++;
    }
  return letters > 0 && at > start && at[-1] == '%';
}

/* Whether the word at AT, in the SIZE bytes at DATA, is a process' maps.  */
static bool
is_named (const char *data, size_t size, const char *at)
{
  size_t before = at - data;
  const char *end = at + LENGTH;
  /* The end of "/proc/self", of which a compiler may have made two
     constants.  */
  if (before >= 2 && memcmp (at - 2, "lf", 2) == 0)
    return true;
  if (is_conversion (data, at))
    return true;
  /* Put together from "/proc/", a number and this.  */
  return (before >= 1 && at[-1] == '\0' && end < data + size
          && *end == '\0');
}

bool
maps_reader_named (const char *data, size_t size)
{
  const char *at = data;
  while ((at = memmem (at, data + size - at, word, LENGTH)) != NULL)
    {
      if (is_named (data, size, at))
        return true;
      at += LENGTH;
    }
  return false;
}

const char *
maps_reader_reviewed (const char *path)
{
  static const struct
  {
    const char *pattern, *reason;
  } reviewed[] = {
#include "maps-reviewed.h"
  };
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < sizeof reviewed / sizeof reviewed[0]; i++)
    if (fnmatch (reviewed[i].pattern, name, 0) == 0)
      return reviewed[i].reason;
  return NULL;
}

/* Whether the SIZE bytes at OFFSET of FD name a process' maps; also if they
   cannot be read.  */
static bool
is_named_in (int fd, uint64_t offset, uint64_t size)
{
  static char piece[PIECE];
  size_t kept = 0;
  while (size > 0)
    {
      size_t wanted = size < PIECE - kept ? size : PIECE - kept;
      ssize_t n = pread (fd, piece + kept, wanted, offset);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return true;
      if (n == 0)
        return false;
      if (maps_reader_named (piece, kept + n))
        return true;
      size -= n;
      offset += n;
      size_t held = kept + n;
      kept = held < MAPS_READER_MARGIN ? held : MAPS_READER_MARGIN;
      memmove (piece, piece + held - kept, kept);
    }
  return false;
}

const char *
maps_reader_problem (int fd, const char *path,
                     const struct hugetext_object *object)
{
  uint64_t left = LIMIT;
  if (maps_reader_reviewed (path) != NULL)
    return NULL;
  for (size_t i = 0; i < object->nsegments; i++)
    {
      const struct hugetext_segment *segment = &object->segment[i];
      uint64_t size = segment->dataend - segment->start;
      if (segment->dataend == segment->datastart)
        continue;
      if (size > left)
        return "it is too large to be searched for /proc/self/maps";
      left -= size;
      if (is_named_in (fd, segment->offset, size))
        return "it may look for its own path in /proc/self/maps";
    }
  return NULL;
}
