/* An image in the store: its note, and the checks of the note.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is an ELF file.  It begins with struct image_head, which has
   ld-hugetext's note; then come the object's notes and the program headers.
   From IMAGE_NOTE.offset on it holds the bytes of the object's blocks; blocks
   that cannot be huge are holes.  After the blocks come the object's symbols
   and section headers, for tools that look up an address in the mapped file
   (image/elfparts.c).

   The note has all members of the index's record except the image's own
   identity, so that the command can rebuild the index from the directory
   alone.  The last step of making an image sets its mtime to the time in the
   note, in whole seconds, so that a later write shows.  */

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
  uint32_t check;  /* hugetext_index_hash of the members below, and of the
                      path.  */
  uint64_t size;   /* The size of the image in bytes.  */
  int64_t mtime;   /* In nanoseconds.  */
  uint32_t path;   /* The length of the object's path, null byte included.  */
  uint32_t blocks; /* The number of bits set below.  */
  /* The members of struct hugetext_index_image.  */
  struct hugetext_identity object;
  uint64_t digest, block, first, offset;
  uint64_t has[HUGETEXT_IMAGE_BLOCKS / 64];
};

/* The first bytes of an image, up to the end of the object's path.  */
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
  char object[PATH_MAX];             /* The object's path, "" if the note is
                                        not valid.  */
  struct hugetext_identity identity; /* The image's own identity.  */
};

/* Whether NOTE's image has block I.  */
extern bool image_has (const struct image_note *note, size_t i);

/* Return the number of blocks that NOTE's image spans, including holes.  */
extern size_t image_span (const struct image_note *note);

/* Return the hash of HEAD's note and path.  */
extern uint32_t image_check (const struct image_head *head);

/* Fill in HEAD, except the ELF header, and NOTE's version, path, size and
   check, for the image of the object PATH, which has SIZE bytes.  Return
   false if the path is too long.  */
extern bool image_set_head (struct image_head *head, struct image_note *note,
                            const char *path, uint64_t size);

/* Read the image that is open as FD.  Return false if the loader may not use
   the image.  The version in IMAGE's note is 0 if the file is no image.  */
extern bool image_read (int fd, struct image *image, struct problem *problem);

/* Whether the file FD has IDENTITY.  */
extern bool image_is_of (int fd, const struct hugetext_identity *identity);

#endif
