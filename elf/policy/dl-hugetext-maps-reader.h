/* Policy of ld-hugetext: objects that may look for their own path in
   /proc/PID/maps, and objects that tools look for there by a function.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Some objects look up one of their own addresses in /proc/PID/maps, to find
   files in the directory of their program.  The line of a copy has no path,
   and the line of an image has the image's path.  doc/experiments/maps-readers
   lists the objects and the measurements.  */

#ifndef _DL_HUGETEXT_MAPS_READER_H
#define _DL_HUGETEXT_MAPS_READER_H 1

#include "dl-hugetext-names.h"
#include "dl-hugetext-object.h"

/* The number of bytes that must be known before the beginning of a word, and
   from its beginning on.  */
#define HUGETEXT_MAPS_BEFORE ((size_t) 32)
#define HUGETEXT_MAPS_BEHIND ((size_t) 32)

/* The words found in an object.  */
struct hugetext_maps_words
{
  size_t own;         /* Number of names of the process's own maps.  */
  size_t others;      /* Number of names with the ID of a process or thread,
                         as in /proc/%d/maps.  */
  unsigned int known; /* A bit for each reviewed library that the object
                         contains.  Such a library names its own maps once.  */
};

/* Add the words that begin between FROM and TO in the SIZE bytes at DATA to
   WORDS.  The bytes before FROM and after TO only help to recognize a
   word.  */
extern void hugetext_maps_look (struct hugetext_maps_words *words,
                                const char *data, size_t size, size_t from,
                                size_t to) attribute_hidden;

/* Whether an object that has WORDS may look for its own path, so that it must
   not have an image (if IMAGE) or copies.  An object that names the maps by a
   process's ID mostly asks about another process, as debuggers do: it may have
   copies.  Images are only for what surely does not take a path from the
   maps, not even for a list that people or tools read.  */
extern bool hugetext_maps_may_look (const struct hugetext_maps_words *words,
                                    bool image) attribute_hidden;

/* The search of a file.  READ reads up to LENGTH bytes at OFFSET into BUFFER.
   READ returns the number of bytes read, 0 at the end of the file, or a
   negative number.  */
struct hugetext_maps_search
{
  long int (*read) (void *closure, char *buffer, size_t length,
                    uint64_t offset);
  void *closure;
  char *buffer;
  size_t size;    /* The bytes of BUFFER.  */
  uint64_t limit; /* The most bytes to search.  */
  bool image; /* The question is about an image, not about copies.  For copies
                 only read-only segments are searched: only the constants, if
                 the object has constants outside of its text segment.  */
};

/* The result of a search.  */
enum hugetext_maps
{
  HUGETEXT_MAPS_NO,         /* The object does not look for its own path.  */
  HUGETEXT_MAPS_READER,     /* The object may look for its own path.  */
  HUGETEXT_MAPS_TOO_LARGE,  /* The object has more bytes than the limit.  */
  HUGETEXT_MAPS_UNREADABLE, /* The object's file cannot be read.  */
};

/* Search the file of OBJECT.  */
extern enum hugetext_maps hugetext_maps_search (
    const struct hugetext_object *object,
    const struct hugetext_maps_search *search) attribute_hidden;

/* Return the reason why the object with the file PATH does not look for its
   own path although it names the maps file.  Return NULL if nobody has
   reviewed the object.  */
extern const char *hugetext_maps_reviewed (const char *path) attribute_hidden;

/* The maximum number of bytes of constants that are searched before an object
   is copied.  The loader assumes that an object with more constants does not
   look for its path.  */
#define HUGETEXT_MAPS_MOST ((uint64_t) 16 << 20)

/* Whether the object with the file PATH finds its files without the maps: it
   belongs to the distribution, so that it also looks in the directory for
   which it was built, or a reviewer has read what it does with the maps.  PATH
   may be NULL.  */
extern bool hugetext_path_excuses (const char *path) attribute_hidden;

/* Whether OBJECT must not be copied, because it may look for its own path and
   would not find its files without it.  PATH is the path of the object's file,
   or NULL; if hugetext_path_excuses, the file is not searched.  The caller has
   set READ, CLOSURE, BUFFER and SIZE of SEARCH.  */
extern bool hugetext_needs_path (
    const struct hugetext_object *object, const char *path,
    const struct hugetext_maps_search *search) attribute_hidden;

/* The tables of an object's symbols.  All addresses are link-time addresses.
   BYTES returns the SIZE bytes at ADDRESS, which are valid until the next
   call, or NULL if the object's file has no such bytes: a table may be
   malformed.  */
struct hugetext_symbols
{
  const void *(*bytes) (void *closure, uintptr_t address, size_t size);
  void *closure;
  uintptr_t hash, symbols, strings; /* The addresses of DT_GNU_HASH, DT_SYMTAB
                                       and DT_STRTAB.  */
};

/* Return the link-time address of the function by which tools look up the
   mapping of an object with SYMBOLS; 0 if the object has no such function.
   The block with this function must not be a copy.  */
extern uintptr_t
hugetext_looked_up (const struct hugetext_symbols *symbols) attribute_hidden;

#endif /* dl-hugetext-maps-reader.h */
