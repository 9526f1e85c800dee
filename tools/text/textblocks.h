/* Blocks of text and of code made at run time: count their huge and small
   pages with smaps and PAGEMAP_SCAN.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TEXTBLOCKS_H
#define TEXTBLOCKS_H

#include "host/procmaps.h"
#include "text/objtext.h"

/* Add the text at [START, END) to OBJECT.  Call this function for the text of
   OBJECT in the order of addresses.  Return false if there is no memory.  */
extern bool textblocks_add (struct pages *pages, struct object_text *object,
                            uintptr_t start, uintptr_t end);

/* Find the code made at run time, and add it to OBJECTS.  Call this function
   after the objects of all files have been found.  Return false if there is no
   memory.  */
extern bool textblocks_add_code (struct pages *pages,
                                 struct object_list *objects);

#endif
