/* An image in the store: its format, and functions that read and check its
   note.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is an ELF file that begins with struct image_head, which contains
   ld-hugetext's note.  After the head, the image contains the object's notes,
   the program headers, and the bytes of the object's blocks, at an offset that
   is in ld-hugetext's note.  A block that cannot be huge is a hole in the
   file.  After the blocks, the image contains the object's symbols and section
   headers, for tools that look up an address in the mapped file
   (image/elfparts.c).

   The note contains all members of the image's record in the index, except the
   identity of the image itself, so that the command can rebuild the index from
   the store's directory alone.  When the image is complete, the command sets
   the mtime of the image to the time in the note, which is in whole seconds.
   If the mtime later differs from the time in the note, something has written
   to the image.  */

#ifndef IMAGE_H
#define IMAGE_H

#include "util/problem.h"
#include "dl-hugetext-index.h"
#include "dl-hugetext-object.h"

#include <elf.h>
#include <limits.h>

#define IMAGE_NOTE_NAME "hugetext"
#define IMAGE_NOTE_TYPE 1
#define IMAGE_VERSION 3

struct image_note
{
  uint32_t version;
  uint32_t check;  /* The hash (hugetext_index_hash) of the following members
                      and of the path.  */
  uint64_t size;   /* The size of the image in bytes.  */
  int64_t mtime;   /* The image's mtime in nanoseconds.  */
  uint32_t path;   /* The length of the object's path, including the null
                      byte.  */
  uint32_t blocks; /* The number of blocks that the image contains.  */
  /* The following members are the same as in struct hugetext_index_image.  */
  struct hugetext_identity object;
  uint64_t digest, block, first, offset;
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64];
};

/* The beginning of an image, up to the end of the object's path.  */
struct image_head
{
  Elf64_Ehdr elf;
  Elf64_Nhdr header;
  char name[(sizeof IMAGE_NOTE_NAME + 3) & -4];
  struct image_note note;
  char object[PATH_MAX];
};

struct image
{
  struct image_note note;
  char object[PATH_MAX];             /* The object's path, or "" if the note
                                        is not valid.  */
  struct hugetext_identity identity; /* The identity of the image itself.  */
};

/* Return true if the image that NOTE describes contains block number I.  */
extern bool image_has (const struct image_note *note, size_t i);

/* Return the number of blocks that the image spans, including holes.  */
extern size_t image_span (const struct image_note *note);

/* Return the hash of the note and the path in HEAD.  */
extern uint32_t image_check (const struct image_head *head);

/* Set HEAD, except its ELF header, for the image of the object PATH.  The
   function also sets NOTE's version, path, size (SIZE) and check.  Return
   false if the path is too long.  */
extern bool image_set_head (struct image_head *head, struct image_note *note,
                            const char *path, uint64_t size);

/* Read the image on descriptor FD into IMAGE.  Return false if the loader must
   not use the image.  If the file is not an image at all, the version in
   IMAGE's note is 0.  */
extern bool image_read (int fd, struct image *image, struct problem *problem);

/* Return true if the file on descriptor FD has the identity IDENTITY.  */
extern bool image_is_of (int fd, const struct hugetext_identity *identity);

#endif
