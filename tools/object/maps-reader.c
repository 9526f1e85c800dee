/* Objects that may look for their own path in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The bytes of an object tell that it names the file, but not what it does
   with the contents.  So an object that names the file has no image, unless a
   reviewer has read what it does.  Rust's std reads the file
   for the symbols of backtraces, which images have; all programs written in
   Rust contain it.  */

#include "object/maps-reader.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

/* The bytes of one read, and the most bytes of an object.  */
#define PIECE ((size_t) 32 << 10)
#define LIMIT ((uint64_t) 8 << 30)

/* The bytes that must be known before a word and behind its beginning.  */
#define BEFORE ((size_t) 32)
#define BEHIND ((size_t) 16)

/* The words found in an object.  */
struct maps_words
{
  size_t names; /* Number of times that the words name a process's maps.  */
  bool rust;    /* The object contains Rust's std, which names the maps
                   once.  */
};

static const char word[] = "/maps";
#define LENGTH (sizeof word - 1)

/* Whether a conversion of printf's, as in /proc/%d/maps, ends before AT and
   begins at START or later.  */
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
  /* Accept the end of "/proc/self", which a compiler may have divided into two
     constants.  */
  if (before >= 2 && memcmp (at - 2, "lf", 2) == 0)
    return true;
  if (is_conversion (data, at))
    return true;
  /* Accept a constant that is joined to "/proc/" and a number.  */
  return (before >= 1 && at[-1] == '\0' && end < data + size && *end == '\0');
}

/* Whether the word at AT, BEFORE bytes behind the beginning of its piece, is
   in a message of Rust's std.  */
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

/* Add the words that begin between FROM and TO in the SIZE bytes at DATA to
   WORDS.  The bytes before and behind only help to recognise a word.  */
static void
look_at (struct maps_words *words, const char *data, size_t size, size_t from,
         size_t to)
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

/* Whether an object that has WORDS may look for its own path.  */
static bool
may_look (const struct maps_words *words)
{
  return words->names > (words->rust ? 1 : 0);
}

/* Objects that name the file, and do not look for their own path there, by
   patterns of base names, with what they do with its contents.  A reviewer has
   read each object's source; the dates and places are in
   doc/experiments/maps-readers.  An object that is not here has no image,
   which costs memory; a wrong line costs a program its files.  */
static const struct
{
  const char *pattern, *reason;
} reviewed[] = {
  { "libc.so.6", "the bounds of a stack, and whether memory can be written" },
  { "libc-2.*.so", "as libc.so.6, before glibc 2.34" },
  { "libpthread-2.*.so", "the bounds of a stack" },
  { "libjvm.so", "the bounds of the first stack, and lists for people" },
  { "libnode.so.*",
    "free addresses; text by path, device and inode together" },
  { "node", "as libnode" },
  { "opcache.so", "addresses of code that it moves itself" },
  { "libruby*.so*", "a copy of all lines in a crash report" },
  { "libjemalloc.so*", "a copy of all lines in a heap profile" },
};

/* Return why the object with the file PATH may have an image although it names
   a process's maps, NULL if it may not.  */
static const char *
find_reviewed (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < sizeof reviewed / sizeof reviewed[0]; ++i)
    if (fnmatch (reviewed[i].pattern, name, 0) == 0)
      return reviewed[i].reason;
  return NULL;
}

/* Add the words in the SIZE bytes at OFFSET of FD to WORDS.  False if they
   cannot be read.  */
static bool
look_in (struct maps_words *words, int fd, uint64_t offset, uint64_t size)
{
  char piece[BEFORE + PIECE + BEHIND];
  for (uint64_t at = 0; at < size; at += PIECE)
    {
      const size_t before = at > 0 ? BEFORE : 0;
      const uint64_t left = size - at;
      const size_t wanted
          = before + (left < PIECE + BEHIND ? left : PIECE + BEHIND);
      size_t held = 0;
      for (ssize_t n = 1; n != 0 && held<wanted; held += n> 0 ? n : 0)
        {
          n = pread (fd, piece + held, wanted - held,
                     offset + at - before + held);
          if (n < 0 && errno != EINTR)
            return false;
        }
      if (held > before)
        look_at (words, piece, held, before,
                 held < before + PIECE ? held : before + PIECE);
    }
  return true;
}

const char *
maps_reader_problem (int fd, const char *path,
                     const struct hugetext_object *object)
{
  struct maps_words words = { 0 };
  uint64_t left = LIMIT;
  if (find_reviewed (path) != NULL)
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
  return (may_look (&words) ? "it may look for its own path in /proc/self/maps"
                            : NULL);
}
