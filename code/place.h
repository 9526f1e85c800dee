/* Where large mappings that may hold code lie.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_PLACE_H
#define CODE_PLACE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a mapping of LENGTH bytes with PROT and FLAGS, which the program
   leaves to the kernel to place, may be meant for code, and has room for
   several blocks of BLOCK bytes.  */
extern bool code_wants_place (size_t length, int prot, int flags,
                              uintptr_t block);

/* The highest address below that of a mapping of LENGTH bytes at ADDRESS,
   OFFSET in its file, where the same would be aligned to blocks; 0 if it is
   already, or if there is none.  */
extern uintptr_t code_better_place (uintptr_t address, size_t length,
                                    uint64_t offset, uintptr_t block);

#endif /* place.h */
