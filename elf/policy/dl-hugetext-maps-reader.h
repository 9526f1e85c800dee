/* Policy of ld-hugetext: objects that may look for their own path in
   /proc/PID/maps, and objects that tools recognize by one of their functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Some objects look up one of their own addresses in /proc/PID/maps, in order
   to find files in the directory of their program.  If the address is in a
   copy, the line of /proc/PID/maps for this address has no path.  If the
   address is in an image, the line of /proc/PID/maps for this address has the
   path of the image instead of the path of the object.  The note
   doc/experiments/maps-readers lists objects that read /proc/PID/maps, and
   says how long the search in objects takes.  */

#ifndef _DL_HUGETEXT_MAPS_READER_H
#define _DL_HUGETEXT_MAPS_READER_H 1

#include "dl-hugetext-names.h"
#include "dl-hugetext-object.h"

/* The policy searches a file piece by piece.  To recognize the name of a maps
   file at the edge of a piece, hugetext_maps_look needs HUGETEXT_MAPS_BEFORE
   bytes before the piece, and HUGETEXT_MAPS_BEHIND bytes after the piece.  */
#define HUGETEXT_MAPS_BEFORE ((size_t) 32)
#define HUGETEXT_MAPS_BEHIND ((size_t) 32)

/* The names of maps files (such as /proc/self/maps) and the known libraries
   that a search has found in an object.  */
struct hugetext_maps_words
{
  size_t own;    /* The number of times that the object contains the name of
                    the maps file of the process itself, such as
                    /proc/self/maps.  */
  size_t others; /* The number of times that the object contains the name of a
                    maps file in which a process or thread ID is inserted, such
                    as /proc/%d/maps.  */
  unsigned int known; /* For each known library, a bit that says whether the
                         object contains the library.  Each known library
                         contains the string "/proc/self/maps" exactly
                         once.  */
};

/* Search the SIZE bytes at DATA for names of maps files, and add to WORDS the
   names that begin in the range [FROM, TO).  The bytes before FROM and after
   TO only help to recognize words at the edges.  */
extern void hugetext_maps_look (struct hugetext_maps_words *words,
                                const char *data, size_t size, size_t from,
                                size_t to) attribute_hidden;

/* Return true if an object that contains WORDS may look for its own path in a
   maps file.  Such an object must have no copies (if IMAGE is false) or no
   image (if IMAGE is true).  If IMAGE is false, consider only names of the
   process's own maps file: an object with a name such as /proc/%d/maps mostly
   reads the maps file of another process, as debuggers do.  If IMAGE is true,
   also consider names of other processes' maps files, because an object must
   not have an image if it may use a path from the maps file of any process.
   Even an object that only prints a list of mappings for people or tools must
   not have an image, because the list would contain the paths of images.  */
extern bool hugetext_maps_may_look (const struct hugetext_maps_words *words,
                                    bool image) attribute_hidden;

/* A search in the file of an object.  READ reads up to LENGTH bytes at OFFSET
   of the file into BUFFER.  READ returns the number of bytes read, 0 at the
   end of the file, or a negative number on an error.  */
struct hugetext_maps_search
{
  long int (*read) (void *closure, char *buffer, size_t length,
                    uint64_t offset);
  void *closure;
  char *buffer;
  size_t size;    /* The size of BUFFER in bytes.  */
  uint64_t limit; /* The maximum number of bytes to search in the file.  */
  bool image; /* True to ask whether the object may have an image; false to ask
                 whether it may have copies.  If IMAGE is false, the search
                 skips writable segments.  If IMAGE is false and the object has
                 a segment for constants, the search also skips text, because
                 the strings of such an object are in the segment for
                 constants.  */
};

/* Whether an object may look for its own path in /proc/PID/maps, according to
   a search in the object's file.  */
enum hugetext_maps
{
  HUGETEXT_MAPS_NO,         /* The object does not look for its own path.  */
  HUGETEXT_MAPS_READER,     /* The object may look for its own path.  */
  HUGETEXT_MAPS_TOO_LARGE,  /* The segments to search have more bytes than the
                               limit of the search.  */
  HUGETEXT_MAPS_UNREADABLE, /* The object's file cannot be read.  */
};

/* Search the file of OBJECT, and return whether the object may look for its
   own path.  */
extern enum hugetext_maps hugetext_maps_search (
    const struct hugetext_object *object,
    const struct hugetext_maps_search *search) attribute_hidden;

/* The object with the file PATH contains the name of the file /proc/PID/maps.
   A reviewer has read the source of some objects, and found that they do not
   look for their own path in /proc/PID/maps.  For such an object, return a
   text that says why it reads /proc/PID/maps.  Otherwise return NULL.  */
extern const char *hugetext_maps_reviewed (const char *path) attribute_hidden;

/* The maximum number of bytes that the loader searches before it copies blocks
   of an object.  If an object has more bytes of constants than this maximum,
   the loader assumes that the object does not look for its path.  */
#define HUGETEXT_MAPS_MOST ((uint64_t) 16 << 20)

/* Return true if OBJECT must not be copied, because it may use its own path in
   the maps file to find its files.  PATH is the path of the object's file, or
   NULL.  The function does not search the file if PATH shows that the
   object finds its files without reading the maps file.  The caller has set
   the members READ, CLOSURE, BUFFER and SIZE of SEARCH.  */
extern bool hugetext_needs_path (
    const struct hugetext_object *object, const char *path,
    const struct hugetext_maps_search *search) attribute_hidden;

/* The symbol tables of an object.  All addresses in this struct are link-time
   addresses.  The function BYTES returns the SIZE bytes at ADDRESS; the result
   is valid until the next call.  If the object does not have SIZE bytes at
   ADDRESS, for example because one of its tables is malformed, the function
   BYTES returns NULL.  */
struct hugetext_symbols
{
  const void *(*bytes) (void *closure, uintptr_t address, size_t size);
  void *closure;
  uintptr_t hash, symbols, strings; /* The addresses of DT_GNU_HASH, DT_SYMTAB
                                       and DT_STRTAB.  */
};

/* SYMBOLS are the symbol tables of an object.  If the object has a function by
   which tools recognize the object's mapping in /proc/PID/maps, return the
   link-time address of this function, otherwise 0.  The block with this
   function must not become a copy.  */
extern uintptr_t
hugetext_looked_up (const struct hugetext_symbols *symbols) attribute_hidden;

#endif /* dl-hugetext-maps-reader.h */
