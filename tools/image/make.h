/* The making of an image of an object's text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_MAKE_H
#define IMAGE_MAKE_H

#include "image/image.h"
#include "object/plan.h"

/* Whether PLAN has blocks for an image.  If so, fill NOTE in from PLAN.  */
extern bool image_plan (const struct plan *plan, struct image_note *note);

/* Write the image NOTE of the object PATH, which is open as FD and described
   in OBJECT, to the empty file OUT, and compare it with the object.  Return
   NULL, or what is wrong, in static memory; *FULL is set if there is no
   room.  */
extern const char *image_make (int out, int fd, const char *path,
                               const struct hugetext_object *object,
                               struct image_note *note, bool *full);

/* Compare the image FD, which has the note NOTE, with OBJECT, whose file is
   open as SOURCE.  Return NULL, or what is wrong.  */
extern const char *image_compare (int fd, const struct image_note *note,
                                  const struct hugetext_object *object,
                                  int source);

#endif
