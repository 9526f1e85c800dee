/* Policy of ld-hugetext: objects that may look for their own path in
   /proc/PID/maps, and objects that tools recognize by one of their functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A search in an object's bytes shows whether the object contains the file
   name /proc/PID/maps, but not what the object does with this file.  So if an
   object contains the name /proc/PID/maps, the loader assumes that the object
   looks for its own path.  Two kinds of objects are exceptions.  The table
   "reviewed" lists objects that do not look for their own path, as a reviewer
   of their source has found.  The table "known" lists libraries that do not
   look for the path of the object into which they are linked.  If an object
   contains the name /proc/PID/maps only because a library of the table "known"
   is linked into the object, the object does not look for its own path.  */

#include <link.h>
#include <string.h>

#include "dl-hugetext-index.h"
#include "dl-hugetext-maps-reader.h"

/* Return true if a printf conversion specification, such as %d in
   /proc/%d/maps, ends directly before the byte at AT.  Do not examine bytes
   before START.  */
static bool
is_conversion (const char *start, const char *at)
{
  size_t letters = 0;
  while (at > start && letters < 4 && at[-1] >= 'a' && at[-1] <= 'z')
    {
      --at;
      ++letters;
    }
  return letters > 0 && at > start && at[-1] == '%';
}

/* Return true if the bytes [AT, END) begin with WORD.  */
static bool
begins_with (const char *at, const char *end, const char *word)
{
  const size_t length = strlen (word);
  return (size_t) (end - at) >= length && memcmp (at, word, length) == 0;
}

/* Return true if the bytes [START, AT) end with WORD.  */
static bool
ends_with (const char *start, const char *at, const char *word)
{
  const size_t length = strlen (word);
  return ((size_t) (at - start) >= length
          && memcmp (at - length, word, length) == 0);
}

/* Return true if the word "/maps" at AT, within the bytes [START, END),
   belongs to the name of the process's own maps file.  */
static bool
maps_reader_is_own_maps (const char *start, const char *end, const char *at)
{
  /* The word "/maps" belongs to the file name "/proc/self/maps" if the word
     follows "lf".  Do not compare more letters of "/proc/self", because a
     compiler may have divided the string into two constants.  */
  if (ends_with (start, at, "lf"))
    return true;
  /* The word "/maps" may be a whole string constant, which the program may
     append to "/proc/" and a number.  */
  at += strlen ("/maps");
  return (at - start > (ptrdiff_t) strlen ("/maps")
          && at[-(ptrdiff_t) sizeof "/maps"] == '\0' && at < end
          && *at == '\0');
}

/* Return true if the word at AT is part of an error message of Rust's std or
   of abseil.  The function may examine bytes from START on.  */
static bool
is_complaint (const char *start, const char *at)
{
  return (ends_with (start, at, "Couldn't read /proc/self")
          || ends_with (start, at, "Couldn't open /proc/self")
          || ends_with (start, at, "Corrupt /proc/self"));
}

/* Libraries that are often linked into other objects, and that contain the
   string "/proc/self/maps" exactly once.  A reviewer has read the libraries'
   source, which does not look for the path of the library in the maps file
   (doc/experiments/maps-readers).  The loader recognizes a statically linked
   library by two of its strings, BEFORE and AT, which are next to each other
   in the object's bytes.  */
static const struct
{
  /* The struct of a known library has arrays instead of pointers, because each
     program start would have to relocate pointers.  */
  char before[20], at[28];
  bool image; /* True if the text of an object that contains this library may
                 be replaced by an image.  */
} known[] = {
  /* Rust's std reads /proc/self/maps to name symbols in backtraces.  */
  { "library", "/std/src/", true },
  /* Go's runtime/pprof copies the list of mappings into a profile.  */
  { "runtime", "/pprof.parseProcSelfMaps", false },
};

#define NKNOWN (sizeof known / sizeof known[0])

/* Return a bit mask of the known libraries whose string BEFORE ends at the
   address AT and whose string AT begins at the address AT.  Examine only the
   bytes [START, END).  */
static unsigned int
known_at (const char *start, const char *end, const char *at)
{
  unsigned int found = 0;
  for (size_t i = 0; i < NKNOWN; ++i)
    if (begins_with (at, end, known[i].at)
        && ends_with (start, at, known[i].before))
      found |= 1u << i;
  return found;
}

void
hugetext_maps_look (struct hugetext_maps_words *words, const char *data,
                    size_t size, size_t from, size_t to)
{
  const char *const end = data + size;
  const char *at = data + from;
  for (; from < to && (at = memchr (at, '/', data + to - at)) != NULL; ++at)
    {
      words->known |= known_at (data, end, at);
      if (!begins_with (at, end, "/maps") || is_complaint (data, at))
        continue;
      words->own += maps_reader_is_own_maps (data, end, at);
      words->others += is_conversion (data, at);
    }
}

bool
hugetext_maps_may_look (const struct hugetext_maps_words *words, bool image)
{
  size_t excused = 0;
  for (size_t i = 0; i < NKNOWN; ++i)
    excused += (words->known >> i & 1) != 0 && (!image || known[i].image);
  return words->own + (image ? words->others : 0) > excused;
}

/* Read LENGTH bytes at OFFSET of SEARCH's file into BUFFER, or fewer at the
   end of the file.  Return the number of bytes read, or -1 on an error.  */
static long int
maps_reader_read_bytes (const struct hugetext_maps_search *search,
                        char *buffer, size_t length, uint64_t offset)
{
  size_t held = 0;
  for (long int n = 1; n > 0 && held<length; held += n> 0 ? n : 0)
    {
      n = search->read (search->closure, buffer + held, length - held,
                        offset + held);
      if (n < 0)
        return -1;
    }
  return held;
}

/* Search the SIZE bytes at OFFSET of SEARCH's file for names of maps files and
   for known libraries, and add those found to WORDS.  Return false if the
   bytes cannot be read.  */
static bool
look_in (const struct hugetext_maps_search *search,
         struct hugetext_maps_words *words, uint64_t offset, uint64_t size)
{
  const size_t piece
      = search->size - HUGETEXT_MAPS_BEFORE - HUGETEXT_MAPS_BEHIND;
  for (uint64_t at = 0; at < size; at += piece)
    {
      const size_t before = at > 0 ? HUGETEXT_MAPS_BEFORE : 0;
      const uint64_t left = size - at;
      const size_t behind = piece + HUGETEXT_MAPS_BEHIND;
      const long int held = maps_reader_read_bytes (
          search, search->buffer, before + (left < behind ? left : behind),
          offset + at - before);
      if (held < 0)
        return false;
      if ((size_t) held > before)
        hugetext_maps_look (words, search->buffer, held, before,
                            hugetext_min (held, before + piece));
    }
  return true;
}

/* Return true if OBJECT has a segment for constants, which is neither writable
   nor executable.  */
static bool
has_constants (const struct hugetext_object *object)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    if (!object->segment[i].write && !object->segment[i].exec)
      return true;
  return false;
}

enum hugetext_maps
hugetext_maps_search (const struct hugetext_object *object,
                      const struct hugetext_maps_search *search)
{
  struct hugetext_maps_words words = { 0 };
  uint64_t left = search->limit;
  const bool no_text = !search->image && has_constants (object);
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *segment = &object->segment[i];
      const uint64_t size = segment->dataend - segment->start;
      if (segment->dataend == segment->datastart
          || (!search->image && segment->write) || (no_text && segment->exec))
        continue;
      if (size > left)
        return HUGETEXT_MAPS_TOO_LARGE;
      left -= size;
      if (!look_in (search, &words, segment->offset, size))
        return HUGETEXT_MAPS_UNREADABLE;
    }
  return (hugetext_maps_may_look (&words, search->image) ? HUGETEXT_MAPS_READER
                                                         : HUGETEXT_MAPS_NO);
}

/* Objects that contain the file name /proc/PID/maps, but do not use the file
   to find their own path.  Each row has a pattern of base names, and says for
   what purpose the object reads /proc/PID/maps.  A reviewer has read the
   source of each object; doc/experiments/maps-readers has the dates and the
   places in the source.  An object that contains the file name, but has no row
   in this table, gets no image, and gets copies only if the object belongs to
   the distribution.  So if the row of an object is missing, its processes may
   use more memory, or may execute its text on small pages.  If an object has a
   row although it looks for its own path, a program with copies of the object
   may not find its files.  */
static const struct
{
  /* The struct of a known library has arrays instead of pointers, because each
     program start would have to relocate pointers.  */
  char pattern[20], reason[56];
} reviewed[] = {
  { "libc.so.6", "finds writable memory, and the bounds of a stack" },
  { "libc-2.*.so", "finds writable memory, and the bounds of a stack" },
  { "libpthread-2.*.so", "finds the bounds of a stack" },
  { "libjvm.so", "finds the main stack; error reports contain all lines" },
  { "libnode.so.*", "finds free addresses, and its own text by the inode" },
  { "node", "finds free addresses, and its own text by the inode" },
  { "opcache.so", "finds code that opcache.so copies to huge pages" },
  { "libruby*.so*", "copies all lines to a crash report" },
  { "libjemalloc.so*", "copies all lines to a heap profile" },
};

const char *
hugetext_maps_reviewed (const char *path)
{
  const char *name = hugetext_base_name (path);
  for (size_t i = 0; i < sizeof reviewed / sizeof reviewed[0]; ++i)
    if (hugetext_match (reviewed[i].pattern, strlen (reviewed[i].pattern),
                        name))
      return reviewed[i].reason;
  return NULL;
}

/* Return true if the file PATH belongs to the distribution.  */
static bool
is_in_place (const char *path)
{
  static const char patterns[][12]
      = { "/usr/**",    "/lib/**", "/lib64/**", "/lib32/**",
          "/libx32/**", "/bin/**", "/sbin/**" };
  static const char local[] = "/usr/local/", parent[] = "**/../**";
  if (strncmp (path, local, sizeof local - 1) == 0
      || hugetext_match (parent, sizeof parent - 1, path))
    return false;
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i)
    if (hugetext_match (patterns[i], strlen (patterns[i]), path))
      return true;
  return false;
}

/* Return true if the object with the file PATH does not need its own path in
   /proc/PID/maps to find the files of its program.  Return true for an object
   that belongs to the distribution, because it also looks for files in the
   directory for which it was built.  Return true for an object of which a
   reviewer has found that it does not look for its own path
   (hugetext_maps_reviewed).  PATH may be NULL.  */
static bool
is_excused (const char *path)
{
  return (path != NULL
          && (is_in_place (path) || hugetext_maps_reviewed (path) != NULL));
}

bool
hugetext_needs_path (const struct hugetext_object *object, const char *path,
                     const struct hugetext_maps_search *search)
{
  struct hugetext_maps_search constants = *search;
  if (is_excused (path))
    return false;
  constants.limit = HUGETEXT_MAPS_MOST;
  constants.image = false;
  const enum hugetext_maps found = hugetext_maps_search (object, &constants);
  return found == HUGETEXT_MAPS_READER || found == HUGETEXT_MAPS_UNREADABLE;
}

/* A function of the JVM that profilers call.  async-profiler up to 3.0 reads
   /proc/PID/maps, and looks for an executable mapping that contains this
   function and has a path.  If a copy contains AsyncGetCallTrace,
   async-profiler does not find such a mapping, and the JVM does not start
   (doc/experiments/names).  */
static const char function[] = "AsyncGetCallTrace";

/* Return the hash of NAME that the table DT_GNU_HASH uses.  */
static uint32_t
hash_of (const char *name)
{
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name)
    hash = hash * 33 + (unsigned char) *name;
  return hash;
}

/* Return the SIZE bytes at the link-time address ADDRESS of the object with
   SYMBOLS, or NULL if the object has no such bytes.  */
static const void *
bytes_at (const struct hugetext_symbols *symbols, uintptr_t address,
          size_t size)
{
  return symbols->bytes (symbols->closure, address, size);
}

/* Return the address of symbol number I of SYMBOLS if its name is that of
   FUNCTION, otherwise 0.  */
static uintptr_t
address_of (const struct hugetext_symbols *symbols, uint32_t i)
{
  const ElfW (Sym) *symbol = bytes_at (
      symbols, symbols->symbols + i * sizeof *symbol, sizeof *symbol);
  if (symbol == NULL)
    return 0;
  const uintptr_t address = symbol->st_value;
  const char *name = bytes_at (symbols, symbols->strings + symbol->st_name,
                               sizeof function);
  return (name != NULL && memcmp (name, function, sizeof function) == 0
              ? address
              : 0);
}

/* Return the address of FUNCTION in SYMBOLS, or 0 if FUNCTION is not in the
   chain for its hash.  CHAIN is the address of the first hash value in
   FUNCTION's chain.  This value is the hash of symbol number I.  HASH is the
   hash of FUNCTION.  */
static uintptr_t
find_in_chain (const struct hugetext_symbols *symbols, uintptr_t chain,
               uint32_t i, uint32_t hash)
{
  for (;; chain += sizeof hash, ++i)
    {
      const uint32_t *word = bytes_at (symbols, chain, sizeof *word);
      if (word == NULL)
        return 0;
      const uint32_t value = *word;
      const uintptr_t found
          = (value | 1) == (hash | 1) ? address_of (symbols, i) : 0;
      if (found != 0 || (value & 1) != 0)
        return found;
    }
}

uintptr_t
hugetext_looked_up (const struct hugetext_symbols *symbols)
{
  enum
  {
    BITS = 8 * sizeof (ElfW (Addr)),
  };
  struct
  {
    uint32_t buckets, first, words, shift;
  } head;
  const uint32_t hash = hash_of (function);
  uintptr_t at = symbols->hash;
  const void *bytes = bytes_at (symbols, at, sizeof head);
  if (bytes == NULL)
    return 0;
  memcpy (&head, bytes, sizeof head);
  if (head.buckets == 0 || head.words == 0)
    return 0;
  at += sizeof head;
  /* The Bloom filter excludes almost all objects that lack the function.  */
  const ElfW (Addr) *word = bytes_at (
      symbols, at + hash / BITS % head.words * sizeof *word, sizeof *word);
  if (word == NULL
      || (*word >> hash % BITS & *word >> (hash >> head.shift % 32) % BITS & 1)
             == 0)
    return 0;
  at += head.words * sizeof *word;
  const uint32_t *bucket = bytes_at (
      symbols, at + hash % head.buckets * sizeof *bucket, sizeof *bucket);
  if (bucket == NULL || *bucket < head.first)
    return 0;
  const uint32_t i = *bucket;
  at += (head.buckets + (uintptr_t) (i - head.first)) * sizeof *bucket;
  return i != 0 ? find_in_chain (symbols, at, i, hash) : 0;
}
