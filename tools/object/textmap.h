/* Mapped text: whether it still has the file's bytes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TEXTMAP_H
#define TEXTMAP_H

#include "dl-hugetext-names.h"
#include "dl-hugetext-object.h"
#include "host/procmaps.h"

#include <stdbool.h>

/* The mapping of an object's file.  */
struct textmap
{
  const struct hugetext_object *object;
  dev_t device;
  ino_t inode;
  bool reserved; /* The loader has reserved the holes of the block that is
                    looked at: what is mapped there without access, and of no
                    file, is the object's slack, unless a part of the hole is
                    not mapped.  */
};

/* Whether segments of OBJECT fill [START, END) without a hole.  */
extern bool textmap_is_full (const struct hugetext_object *object,
                             uintptr_t start, uintptr_t end);

/* Return the reason why the file's bytes must not replace the block at START.
   MAPS has the mappings of the process.  Return HUGETEXT_NONE if the block has
   only TEXT's pages and holes.  Set *GAP to whether parts of the block are not
   mapped.  */
extern enum hugetext_reason textmap_obstacle (const struct textmap *text,
                                              const struct procmaps *maps,
                                              uintptr_t start, bool *gap);

/* Return the reason why the pages in [START, END) must not be replaced, if
   some of them are private to the process.  PAGEMAP is the process's
   /proc/PID/pagemap.  Return HUGETEXT_NONE if all pages are the file's.  */
extern enum hugetext_reason textmap_private (int pagemap, uintptr_t start,
                                             uintptr_t end);

/* Fill BUFFER with the bytes of the file FD for the block at START, and holes
   with zeros.  Return false if the file cannot be read.  */
extern bool textmap_read (const struct hugetext_object *object, int fd,
                          uintptr_t start, char *buffer);

#endif
