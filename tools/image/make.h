/* Making an image of an object's text, and comparing the two.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_MAKE_H
#define IMAGE_MAKE_H

#include "util/problem.h"
#include "image/folder.h"
#include "object/plan.h"

/* The ELF parts of an image: the bytes before the data, from the beginning of
   the file, and the bytes after the data.  The caller frees them.  */
struct image_elfparts
{
  char *head, *tail;
  size_t head_size, tail_size;
};

/* Make PARTS for the image NOTE of the object PATH, which is open as FD.
   Complete NOTE: its path, size and check.  The caller frees PARTS in any
   case.  */
extern bool image_make_elfparts (int fd, const char *path,
                                 struct image_note *note,
                                 struct image_elfparts *elfparts,
                                 struct problem *problem);

/* Make PARTS and complete NOTE as image_make_elfparts does, but let a process
   without rights (host/reader.h) read the object.  The members of NOTE and
   PARTS that ld-hugetext's programs read do not come from that process.  */
extern bool image_elfparts_ask (int fd, const char *path,
                                struct image_note *note,
                                struct image_elfparts *elfparts,
                                struct problem *problem);

extern void image_elfparts_free (struct image_elfparts *elfparts);

/* Whether PLAN has blocks for an image.  If so, fill NOTE in from PLAN.  */
extern bool image_plan (const struct plan *plan, struct image_note *note);

/* Write the image NOTE of the object PATH, which is open as FD and described
   in OBJECT, to the empty file OUT, and compare it with the object.  Set
   *FULL if the filesystem is full.  */
extern bool image_make (int out, int fd, const char *path,
                        const struct hugetext_object *object,
                        struct image_note *note, bool *full,
                        struct problem *problem);

/* Compare STORED byte by byte with the file from which it was made.  Return
   false if they differ.  */
extern bool image_compare (const struct stored *stored,
                           struct problem *problem);

#endif
