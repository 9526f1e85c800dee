/* Allocate memory.  If there is not enough memory, print a message and exit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/allocate.h"
#include "util/exit-status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return MEMORY.  If MEMORY is NULL, print a message and exit.  */
static void *
allocate_check_memory (void *memory)
{
  if (memory != NULL)
    return memory;
  fputs ("hugetext: the command has run out of memory\n", stderr);
  exit (STATUS_PARTLY);
}

void *
allocate (size_t size)
{
  return allocate_check_memory (calloc (1, size > 0 ? size : 1));
}

void *
allocate_more (void *list, size_t count, size_t size)
{
  /* Whenever COUNT is a power of two, double the allocated size.  */
  if ((count & (count - 1)) != 0)
    return list;
  return allocate_check_memory (
      reallocarray (list, count > 0 ? 2 * count : 1, size));
}

char *
allocate_text (const char *text)
{
  return allocate_check_memory (strdup (text));
}
