/* The placement of large mappings that may hold code.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions make no system call.  */

#include <sys/mman.h>

#include "place.h"

/* The fewest blocks in a mapping that is placed: runtimes that make code
   reserve 8 MiB (BEAM) to 240 MiB (HotSpot).  A smaller mapping is the stack
   of a thread, or a heap.  */
#define BLOCKS_MIN 4

bool
code_wants_place (size_t length, int prot, int flags, uintptr_t block)
{
  /* With any other flag the program has a special use for the memory.  */
  if ((flags & ~(MAP_PRIVATE | MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE))
      != 0)
    return false;
  /* Place code, and reservations, which may become code.  A private mapping of
     a file is text.  */
  bool reserved = prot == PROT_NONE && (flags & MAP_ANONYMOUS) != 0;
  bool code = ((prot & PROT_EXEC) != 0
               && (flags & (MAP_ANONYMOUS | MAP_SHARED)) != 0);
  return length / block >= BLOCKS_MIN && (reserved || code);
}

bool
code_is_placed (uintptr_t address, uint64_t offset, uintptr_t block)
{
  return ((address - offset) & (block - 1)) == 0;
}

uintptr_t
code_place (uintptr_t space, uint64_t offset, uintptr_t block)
{
  return space + ((offset - space) & (block - 1));
}
