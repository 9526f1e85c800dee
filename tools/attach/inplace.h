/* Put the text of a program on huge pages of its file, in its present mapping,
   before the program executes its first instruction.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No thread has run in the program yet, and the page tables of the process are
   empty.  Because the page tables are empty, the kernel maps a block by a huge
   page at the first access if a single mapping with the advice MADV_HUGEPAGE
   contains the block.  For a process with filled page tables, in contrast, the
   command must prepare huge pages in a staging area and move them over the
   text.  */

#ifndef INPLACE_H
#define INPLACE_H

#include "attach/remote.h"

/* Put COUNT successive blocks of OBJECT, the first of which is at START, on
   huge pages.  First give the whole block one protection, so that it is in a
   single mapping.  Set each element of HUGE to true if its block is now huge,
   otherwise to false.  ELF describes OBJECT.  Text of OBJECT outside of the
   COUNT blocks does not change.  */
extern void inplace_do (struct remote *remote,
                        const struct convert_object *object,
                        const struct hugetext_object *elf, uintptr_t start,
                        size_t count, bool huge[]);

#endif
