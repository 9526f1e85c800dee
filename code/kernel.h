/* What the kernel says about a block.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_KERNEL_H
#define CODE_KERNEL_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_kind
{
  CODE_NONE,                    /* Not executable as a whole, of several
                                   mappings, or text of a file.  */
  CODE_PRIVATE,
  CODE_SHARED
};

/* What is mapped at [START, END).  */
extern enum code_kind code_ask_kind (uintptr_t start, uintptr_t end);

/* How many of the N pages, of PAGE bytes each, at START the process has
   touched; 0 if the kernel does not say.  */
extern size_t code_ask_touched (uintptr_t start, size_t n, uintptr_t page);

/* The same of memory that is shared: touched by whomever.  */
extern size_t code_ask_resident (uintptr_t start, size_t n, uintptr_t page);

#endif /* kernel.h */
