/* Allocate memory.  If there is not enough memory, print a message and exit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If there is not enough memory, the command exits without cleaning up, as if
   it had been killed.  */

#ifndef ALLOCATE_H
#define ALLOCATE_H

#include <stddef.h>

/* Return SIZE bytes of zeros.  */
extern void *allocate (size_t size);

/* Return LIST, which has COUNT elements of SIZE bytes, with space for one more
   element.  */
extern void *allocate_more (void *list, size_t count, size_t size);

/* Return a copy of TEXT.  */
extern char *allocate_text (const char *text);

#endif
