/* An image in the store: what it says of itself, and whether that is so.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is an ELF file.  From IMAGE_NOTE.offset on it has an object's
   blocks as they are in memory, without those that cannot be huge (holes);
   in front of that headers and notes, the object's and ours; behind it the
   object's symbols and section headers, for tools that look up an address in
   the file that is mapped there.  Addresses in it are the object's own
   link-time addresses, and sections have the same numbers; what is not in the
   image has an empty header.

   Its build ID is one of its own, made from the object's: who knows a build ID
   (perf's cache, collectors of profiles) knows where in the file a function
   is, and that is another place here.

   Our note has all that the index says of an image but its own identity, so
   that the index can be made again from the folder alone.  The last thing that
   is done to an image is to set its mtime to what the note says, without parts
   of a second: so who writes to it later breaks that seal.  */

#ifndef IMAGE_H
#define IMAGE_H

#include "dl-hugetext-index.h"

#include <limits.h>

#define IMAGE_NOTE_NAME "hugetext"
#define IMAGE_NOTE_TYPE 1
#define IMAGE_NOTE_SECTION ".note.hugetext"
#define IMAGE_VERSION 2
#define IMAGE_BUILD_ID_MAX 28 /* In bytes; SHA-1 has 20.  */

/* The descriptor of our note.  Followed by the object's path with a null byte,
   and zeros up to a multiple of 8.  */
struct image_note
{
  uint32_t version;
  uint32_t check;  /* hugetext_index_hash of what follows.  */
  uint64_t size;   /* Of the image.  */
  int64_t mtime;   /* In ns.  */
  uint32_t path;   /* Length with the null byte.  */
  uint32_t blocks; /* How many bits are set below.  */
  uint32_t build_id_size;
  unsigned char build_id[IMAGE_BUILD_ID_MAX]; /* The object's.  */
  /* As in struct hugetext_index_image.  */
  struct hugetext_identity object;
  uint64_t digest, block, first, offset;
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64];
};

struct image
{
  struct image_note note;
  char object[PATH_MAX];
  struct hugetext_identity identity; /* Its own.  */
};

/* Whether NOTE's image has block I.  */
extern bool image_has (const struct image_note *note, size_t i);

/* How many blocks NOTE's image reaches over, those that it lacks
   included.  */
extern size_t image_span (const struct image_note *note);

/* Read the image that is open as FD.  Returns NULL, or why it is none that
   the loader may use.  IMAGE's note has version 0 if it is none at all; of
   another version of the command's nothing else is known.  */
extern const char *image_read (int fd, struct image *image);

/* Why IMAGE, which has been read, is not of its object's present file; NULL if
   it is.  */
extern const char *image_match (const struct image *image);

/* Fill BUFFER, which has the size of a block, with what block I of NOTE's
   image is to have, from OBJECT, which is open as FD.  False with errno set if
   that cannot be read.  */
struct hugetext_object;
extern bool image_fill (const struct image_note *note, size_t i,
                        const struct hugetext_object *object, int fd,
                        char *buffer);

#endif
