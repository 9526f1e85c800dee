/* The placement of large mappings that may hold code.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_PLACE_H
#define CODE_PLACE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a mapping of LENGTH bytes with PROT and FLAGS may be meant for code,
   and has room for several blocks of BLOCK bytes.  The program has left its
   address to the kernel.  */
extern bool code_wants_place (size_t length, int prot, int flags,
                              uintptr_t block);

/* Whether a mapping at ADDRESS, of a file at OFFSET or of no file with OFFSET
   0, is aligned to blocks.  */
extern bool code_is_placed (uintptr_t address, uint64_t offset,
                            uintptr_t block);

/* Return the first address from SPACE on, less than a block further, where the
   mapping would be aligned to blocks.  */
extern uintptr_t code_place (uintptr_t space, uint64_t offset,
                             uintptr_t block);

#endif /* place.h */
