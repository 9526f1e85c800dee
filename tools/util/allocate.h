/* Memory: the command ends, with a message, when there is none.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What it leaves then is what it leaves when it is killed.  */

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
