/* Mapped text: whether it is still what its file says.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TEXTMAP_H
#define TEXTMAP_H

#include "dl-hugetext-object.h"
#include "host/procmaps.h"

/* Where an object's file is mapped.  */
struct textmap
{
  const struct hugetext_object *object;
  dev_t device;
  ino_t inode;
};

/* Address space in a block that is not mapped.  */
struct textmap_holes
{
  struct
  {
    uintptr_t start, end;
  } list[8];
  size_t count;
};

/* Why the block at START, as MAPS has it, must not be replaced by the file's
   bytes; NULL if nothing else than TEXT's pages and holes are in it.  HOLES
   are those of them that are not mapped.  */
extern const char *textmap_obstacle (const struct textmap *text,
                                     const struct procmaps *maps,
                                     uintptr_t start,
                                     struct textmap_holes *holes);

/* Why the pages in [START, END) of the process whose /proc/PID/pagemap is open
   as PAGEMAP must not be: some are its own, no longer the file's; NULL if none
   is.  */
extern const char *textmap_private (int pagemap, uintptr_t start,
                                    uintptr_t end);

/* Fill BUFFER with what the file FD has of the block at START, holes with
   zeros.  False if that cannot be read.  */
extern bool textmap_read (const struct hugetext_object *object, int fd,
                          uintptr_t start, char *buffer);

#endif
