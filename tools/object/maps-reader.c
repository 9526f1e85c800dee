/* Objects that may look for their own path in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What an object does with that file its bytes do not tell, only that it
   names it.  So an object that does has no image, unless a reviewer has read
   what it does (maps-reviewed.h).  Rust's std looks there for the symbols of
   backtraces, which images have, and is in all that is written in Rust.  */

#include "object/maps-reader.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

/* So much is read at once, and of an object.  */
#define PIECE ((size_t) 32 << 10)
#define LIMIT ((uint64_t) 8 << 30)

/* What has to be known in front of a word, and behind its beginning.  */
#define BEFORE ((size_t) 32)
#define BEHIND ((size_t) 16)

static const char word[] = "/maps";
#define LENGTH (sizeof word - 1)

/* Whether what ends before AT, not before START, is a conversion of printf's,
   as in /proc/%d/maps.  */
static bool
is_conversion (const char *start, const char *at)
{
  size_t letters = 0;
  while (at > start && letters < 4 && islower ((unsigned char) at[-1]))
    {
      --at;
      ++letters;
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
  return (before >= 1 && at[-1] == '\0' && end < data + size && *end == '\0');
}

/* Whether the word at AT, BEFORE bytes behind the beginning of its piece, is
   in a complaint of Rust's std.  */
static bool
is_complaint (const char *data, const char *at)
{
  static const char complaints[][25]
      = { "Couldn't read /proc/self", "Couldn't open /proc/self" };
  size_t length = sizeof complaints[0] - 1;
  return ((size_t) (at - data) >= length
          && (memcmp (at - length, complaints[0], length) == 0
              || memcmp (at - length, complaints[1], length) == 0));
}

void
maps_reader_look (struct maps_words *words, const char *data, size_t size,
                  size_t from, size_t to)
{
  static const char std[] = "library/std/src/";
  const char *at = data + from;
  words->rust |= memmem (data, size, std, sizeof std - 1) != NULL;
  while ((at = memmem (at, data + size - at, word, LENGTH)) != NULL
         && at < data + to)
    {
      words->names += is_named (data, size, at) && !is_complaint (data, at);
      at += LENGTH;
    }
}

bool
maps_reader_decide (const struct maps_words *words)
{
  return words->names > (words->rust ? 1 : 0);
}

const char *
maps_reader_reviewed (const char *path)
{
  static const struct
  {
    const char *pattern, *reason;
  } reviewed[] = {
#include "object/maps-reviewed.h"
  };
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < sizeof reviewed / sizeof reviewed[0]; ++i)
    if (fnmatch (reviewed[i].pattern, name, 0) == 0)
      return reviewed[i].reason;
  return NULL;
}

/* Add to WORDS what the SIZE bytes at OFFSET of FD have.  False if they
   cannot be read.  */
static bool
look_in (struct maps_words *words, int fd, uint64_t offset, uint64_t size)
{
  char piece[PIECE];
  size_t held = 0, from = 0;
  while (size > 0)
    {
      size_t wanted = size < PIECE - held ? size : PIECE - held;
      ssize_t n = pread (fd, piece + held, wanted, offset);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return false;
      held += n;
      offset += n;
      size = n == 0 ? 0 : size - n;
      if (size > 0 && held < from + BEHIND)
        continue;
      size_t to = size > 0 ? held - BEHIND : held;
      maps_reader_look (words, piece, held, from, to);
      size_t first = to > BEFORE ? to - BEFORE : 0;
      held -= first;
      from = to - first;
      memmove (piece, piece + first, held);
    }
  return true;
}

const char *
maps_reader_problem (int fd, const char *path,
                     const struct hugetext_object *object)
{
  struct maps_words words = { 0 };
  uint64_t left = LIMIT;
  if (maps_reader_reviewed (path) != NULL)
    return NULL;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *segment = &object->segment[i];
      uint64_t size = segment->dataend - segment->start;
      if (segment->dataend == segment->datastart)
        continue;
      if (size > left)
        return "it is too large to be searched for /proc/self/maps";
      left -= size;
      if (!look_in (&words, fd, segment->offset, size))
        return "it cannot be searched for /proc/self/maps";
    }
  return (maps_reader_decide (&words)
              ? "it may look for its own path in /proc/self/maps"
              : NULL);
}
