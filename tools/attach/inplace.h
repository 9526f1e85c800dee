/* The conversion in place: a program that has not begun gets huge pages of its
   file where it is mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No thread runs in the program, and none of its pages is in the page tables
   yet.  So a block only needs to be in one mapping with the advice: no other
   mapping has to be made, checked and moved.  */

#ifndef INPLACE_H
#define INPLACE_H

#include "attach/remote.h"

/* Have the COUNT blocks of OBJECT, described by ELF, from START on in one
   mapping and on huge pages, and set HUGE for each.  The others stay as they
   are.  */
extern void inplace_do (struct remote *remote,
                        const struct convert_object *object,
                        const struct hugetext_object *elf, uintptr_t start,
                        size_t count, bool huge[]);

#endif
