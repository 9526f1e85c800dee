/* The conversion in place: a program that has not begun gets huge pages of its
   file where it is mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No thread runs in it and nothing of it is in the page tables yet.  So all it
   takes is that a block is in one mapping, and the advice: no other mapping
   has to be made, looked at and moved.  */

#ifndef INPLACE_H
#define INPLACE_H

#include "attach/remote.h"

/* Whether the block at START of OBJECT may be left where it is: there is no
   hole in it.  */
extern bool inplace_can (const struct hugetext_object *object,
                         uintptr_t start);

/* Have the COUNT blocks of OBJECT, which ELF describes, from START on in one
   mapping and on huge pages, and say in HUGE which of them are.  The others
   stay as they are.  */
extern void inplace_do (struct remote *remote,
                        const struct convert_object *object,
                        const struct hugetext_object *elf, uintptr_t start,
                        size_t count, bool huge[]);

#endif
