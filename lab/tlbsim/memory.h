/* Allocation of memory, which ends the program on failure.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEMORY_H
#define MEMORY_H

#include <error.h>
#include <errno.h>
#include <stdlib.h>

/* Give the array at OLD, which may be NULL, room for COUNT elements of SIZE
   bytes.  Return its new address.  */
static inline void *
memory_array (void *old, size_t count, size_t size)
{
  void *new = reallocarray (old, count != 0 ? count : 1, size);
  if (new == NULL)
    error (EXIT_FAILURE, errno, "no memory for %zu times %zu bytes", count,
           size);
  return new;
}

/* Make room for one more element at the end of the array at OLD, which has
   COUNT elements of SIZE bytes.  OLD must be NULL or a result of this
   function.  Return its new address.  */
static inline void *
memory_grow (void *old, size_t count, size_t size)
{
  return (count & (count - 1)) == 0
             ? memory_array (old, count != 0 ? 2 * count : 1, size)
             : old;
}

#endif
