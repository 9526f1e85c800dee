/* Make an image of an object's text, and compare the image with the object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_MAKE_H
#define IMAGE_MAKE_H

#include "util/problem.h"
#include "image/directory.h"
#include "object/plan.h"

/* The ELF parts of an image: HEAD is before the blocks, at the beginning of
   the file; TAIL is after the blocks.  The caller frees HEAD and TAIL.  */
struct image_elfparts
{
  char *head, *tail;
  size_t head_size, tail_size;
};

/* Make the ELF parts of the image that NOTE describes: an image of the file
   PATH, which is open on descriptor FD.  The function also sets the path, the
   size and the check in NOTE.  The caller frees ELFPARTS even on failure.  */
extern bool image_make_elfparts (int fd, const char *path,
                                 struct image_note *note,
                                 struct image_elfparts *elfparts,
                                 struct problem *problem);

/* Make ELFPARTS and complete NOTE like image_make_elfparts, but let an
   unprivileged process (host/reader.h) read the object.  Only debuggers and
   profilers use the bytes that the unprivileged process has made.  The loader
   and the command use the note of the image, which this function writes.  */
extern bool image_elfparts_ask (int fd, const char *path,
                                struct image_note *note,
                                struct image_elfparts *elfparts,
                                struct problem *problem);

extern void image_elfparts_free (struct image_elfparts *elfparts);

/* Set NOTE to the description of an image of PLAN's object.  Return true if
   the image would contain a block.  */
extern bool image_plan (const struct plan *plan, struct image_note *note);

/* Write the image that NOTE describes to the empty file OUT, and compare the
   image with its object.  The object is the file PATH, which is open on
   descriptor FD, and OBJECT contains its segments.  If the filesystem is full,
   set *FULL.  */
extern bool image_make (int out, int fd, const char *path,
                        const struct hugetext_object *object,
                        struct image_note *note, bool *full,
                        struct problem *problem);

/* Compare the image STORED byte by byte with the object from which it was
   made.  Return false if the image and the object differ.  */
extern bool image_compare (const struct stored *stored,
                           struct problem *problem);

#endif
