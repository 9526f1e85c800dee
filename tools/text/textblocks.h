/* Blocks of text, and of code made at run time, counted by smaps and
   PAGEMAP_SCAN.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TEXTBLOCKS_H
#define TEXTBLOCKS_H

#include "host/procmaps.h"
#include "text/objtext.h"

/* Add the text at [START, END), which comes after OBJECT's present text, to
   OBJECT.  Return false if there is no memory.  */
extern bool textblocks_add (struct pages *pages, struct object_text *object,
                            uintptr_t start, uintptr_t end);

/* Fill in the code made at run time of OBJECTS, whose files have all been
   found.  Return false if there is no memory.  */
extern bool textblocks_add_code (struct pages *pages,
                                 struct object_list *objects);

#endif
