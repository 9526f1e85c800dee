/* Find out whether the mapped text of an object is still identical with the
   text in the object's file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TEXTMAP_H
#define TEXTMAP_H

#include "dl-hugetext-names.h"
#include "dl-hugetext-object.h"
#include "host/procmaps.h"

#include <stdbool.h>

/* The mapping of an object's file in a process.  */
struct textmap
{
  const struct hugetext_object *object;
  dev_t device;
  ino_t inode;
  bool reserved; /* True if the loader has reserved the holes of the examined
                    block.  An anonymous mapping with PROT_NONE in a reserved
                    hole belongs to the reservation.  If a part of a reserved
                    hole is not mapped, an anonymous mapping in the hole may
                    belong to code other than the loader.  */
};

/* Return true if segments of OBJECT fill all of [START, END).  */
extern bool textmap_is_full (const struct hugetext_object *object,
                             uintptr_t start, uintptr_t end);

/* Find out whether the bytes of the object's file may replace the block at
   START.  Return HUGETEXT_NONE if the block consists only of TEXT's pages and
   of holes.  If other memory is in the block, return the reason why the block
   must not be replaced.  MAPS are the mappings of the process.  Set *GAP to
   true if a part of the block is not mapped, otherwise to false.  */
extern enum hugetext_reason textmap_obstacle (const struct textmap *text,
                                              const struct procmaps *maps,
                                              uintptr_t start, bool *gap);

/* Return HUGETEXT_NONE if all pages in [START, END) are pages of the file.  If
   some pages in [START, END) are private to the process, return the reason why
   the private pages must not be replaced.  PAGEMAP is a descriptor of the
   process's /proc/PID/pagemap.  */
extern enum hugetext_reason textmap_private (int pagemap, uintptr_t start,
                                             uintptr_t end);

/* Fill BUFFER with the contents of the block at START, according to the file
   FD.  Use zeros for holes in the block.  Return false if the file cannot be
   read.  */
extern bool textmap_read (const struct hugetext_object *object, int fd,
                          uintptr_t start, char *buffer);

#endif
