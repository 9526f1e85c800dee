/* An image in the store: its note, and the checks of the note.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is an ELF file.  From IMAGE_NOTE.offset on it has an object's
   blocks with their bytes in memory, without the blocks that cannot be huge
   (holes); before them headers and notes, the object's and ours; behind them
   the object's symbols and section headers, for tools that look up an address
   in the mapped file.  Addresses in the image are the object's link-time
   addresses, and sections have the same numbers; a section that is not in the
   image has an empty header.

   The image has a build ID of its own, made from the object's: a tool that
   knows a build ID (perf's cache, collectors of profiles) knows the file
   offset of each function, and offsets in the image differ from the object's.

   Our note has all members of the index's record but the image's own identity,
   so that the index can be made again from the folder alone.  The last step of
   making an image sets its mtime to the note's, in whole seconds: a later
   write breaks that seal.  */

#ifndef IMAGE_H
#define IMAGE_H

#include "dl-hugetext-index.h"

#include <limits.h>

#define IMAGE_NOTE_NAME "hugetext"
#define IMAGE_NOTE_TYPE 1
#define IMAGE_NOTE_SECTION ".note.hugetext"
#define IMAGE_VERSION 2
#define IMAGE_BUILD_ID_MAX 28 /* In bytes; SHA-1 has 20.  */

/* The descriptor of our note.  The object's path with a null byte follows, and
   zeros up to a multiple of 8.  */
struct image_note
{
  uint32_t version;
  uint32_t check;  /* hugetext_index_hash of what follows.  */
  uint64_t size;   /* Size of the image in bytes.  */
  int64_t mtime;   /* In ns.  */
  uint32_t path;   /* Length with the null byte.  */
  uint32_t blocks; /* Number of bits that are set below.  */
  uint32_t build_id_size;
  unsigned char build_id[IMAGE_BUILD_ID_MAX]; /* The object's build ID.  */
  /* Members of struct hugetext_index_image.  */
  struct hugetext_identity object;
  uint64_t digest, block, first, offset;
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64];
};

struct image
{
  struct image_note note;
  char object[PATH_MAX];
  struct hugetext_identity identity; /* The image's own identity.  */
};

/* Whether NOTE's image has block I.  */
extern bool image_has (const struct image_note *note, size_t i);

/* Return how many blocks NOTE's image spans, holes included.  */
extern size_t image_span (const struct image_note *note);

/* Read the image that is open as FD.  Return NULL, or why the loader may not
   use it.  The version in IMAGE's note is 0 if the file is no image; for
   another version of the note the other members are not known.  */
extern const char *image_read (int fd, struct image *image);

/* Return why IMAGE, which has been read, is not of its object's present file;
   NULL if it is.  */
extern const char *image_match (const struct image *image);

/* Fill BUFFER, of a block's size, with the bytes for block I of NOTE's image,
   from OBJECT, which is open as FD.  False with errno set if they cannot be
   read.  */
struct hugetext_object;
extern bool image_fill (const struct image_note *note, size_t i,
                        const struct hugetext_object *object, int fd,
                        char *buffer);

#endif
