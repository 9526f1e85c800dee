/* The step that puts blocks of code on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_MAKE_H
#define CODE_MAKE_H 1

#include "blocks.h"
#include "hugetext-code.h"

/* The facts that the loader passes to the code object.  */
extern struct hugetext_code hugetext_code;

/* The table of the blocks of this process.  */
extern struct code_table code_blocks;

/* If set, the code object only passes calls on.  Threads set this variable
   once and never clear it.  */
extern bool code_is_over;

/* Return the value that libc's function returns for the kernel's RESULT.  Set
   errno.  */
extern long int code_finish (long int result);

/* Whether the settings ask for huge code, and no filter forbids it.  */
static inline bool
code_is_on (void)
{
  if (hugetext_code.ledger == NULL
      || __atomic_load_n (&code_is_over, __ATOMIC_SEQ_CST))
    return false;
  /* The loader determines the size of a block.  */
  if (code_blocks.block == 0)
    code_blocks.block = hugetext_code.block;
  return true;
}

/* From now on, prevent all threads from making calls of the code object's
   own.  */
extern void code_stop (void);

/* Make the due blocks huge.  Called after a call of the program.  */
extern void code_make (void);

/* Queries to the kernel about the state of a block.  */

/* Whether [START, END) is code: one executable mapping, which maps no file or
   is shared.  */
extern bool code_ask_kind (uintptr_t start, uintptr_t end);

/* Return how many of the N pages at START, of PAGE bytes each, are in use, or
   0 if the kernel does not say.  A page of shared memory is in use if any
   process has touched it.  Under a filter (FILTERED), only pages that this
   process has mapped count.  SCRATCH is a page of scratch space.  */
extern size_t code_ask_used (uintptr_t start, size_t n, uintptr_t page,
                             bool filtered, char scratch[4096]);

/* Whether a filter may kill the calling thread for a system call that libc
   never makes.  */
extern bool code_ask_filtered (void);

#endif /* make.h */
