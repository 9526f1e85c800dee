/* The conversion in place: puts a program that has not begun on huge pages of
   its file, at its present address.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No thread runs in the program, and its page tables are empty.  So a block
   only needs to lie in one mapping with the right advice; the command need not
   make, check and move another mapping.  */

#ifndef INPLACE_H
#define INPLACE_H

#include "attach/remote.h"

/* Put the COUNT blocks of OBJECT, described by ELF, from START on into one
   mapping and on huge pages, and set HUGE for each.  Other blocks do not
   change.  */
extern void inplace_do (struct remote *remote,
                        const struct convert_object *object,
                        const struct hugetext_object *elf, uintptr_t start,
                        size_t count, bool huge[]);

#endif
