/* Blocks of text, counted by smaps and PAGEMAP_SCAN.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TEXTBLOCKS_H
#define TEXTBLOCKS_H

#include "host/procmaps.h"
#include "text/objtext.h"

/* Add the text at [START, END), which is behind OBJECT's present text, to
   OBJECT.  False if there is no memory.  */
extern bool textblocks_add (struct pages *pages, struct object_text *object,
                            uintptr_t start, uintptr_t end);

#endif
