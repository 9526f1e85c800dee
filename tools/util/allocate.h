/* Memory of verbs that end, with a message, when there is none.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For commands that a user has typed: not for what runs in another process, or
   for what has to undo something first.  */

#ifndef ALLOCATE_H
#define ALLOCATE_H

#include <stddef.h>

/* Return SIZE bytes of zeros.  */
extern void *allocate (size_t size);

/* Return LIST with room for one more than its COUNT elements of SIZE
   bytes.  */
extern void *allocate_more (void *list, size_t count, size_t size);

/* Return a copy of TEXT.  */
extern char *allocate_text (const char *text);

#endif
