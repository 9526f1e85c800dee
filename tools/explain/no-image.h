/* The reason why an object has no image, where the store is in use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NO_IMAGE_H
#define NO_IMAGE_H

#include "dl-hugetext-object.h"
#include "object/settings.h"

/* Write to TEXT why the loader would not take the image of OBJECT, whose file
   is NAME, open as FD; "" if it would, if SETTINGS do not allow images, or if
   none has been made that could have been.  */
extern void no_image_reason (int fd, const char *name,
                             const struct hugetext_object *object,
                             const struct settings *settings,
                             char text[static 192]);

#endif
